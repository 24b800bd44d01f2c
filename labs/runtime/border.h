/* What a filter reads beyond the image: 0, or the nearest pixel of the image. */
#ifndef CONVLABS_BORDER_H
#define CONVLABS_BORDER_H

enum border { BORDER_ZERO, BORDER_REPLICATE };

#endif
