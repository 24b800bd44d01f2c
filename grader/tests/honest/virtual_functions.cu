/* An honest file: virtual functions. */
#include <memory>
struct Border {
    virtual ~Border() = default;
    virtual int index(int x, int width) const = 0;
};
struct Replicate : Border {
    int index(int x, int width) const override { return x < 0 ? 0 : x < width ? x : width - 1; }
};
struct Zero final : Border {
    int index(int x, int width) const override { return x < 0 || x >= width ? -1 : x; }
};
int chosen(bool zero, int x, int width) {
    std::unique_ptr<Border> border;
    if (zero)
        border.reset(new Zero);
    else
        border = std::make_unique<Replicate>();
    const Replicate *other = dynamic_cast<const Replicate *>(border.get());
    return border->index(x, width) + (other != nullptr);
}
