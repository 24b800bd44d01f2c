# The course in a container, for laptops that run no Debian or Ubuntu: handouts/container.md.
# From a student's copy it makes a student's image. From the whole repository it makes an image with
# the solutions and the hidden cases: do not give that one to students.
#
# The tag of the base image moves with Debian's updates; it is not pinned by digest, so that a new
# build has them. Another base needs apt-get, such as debian:trixie-slim or ubuntu:24.04.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS system
# Python, git, and what `./grade setup` and `make labN-test` would install (grader/setup/
# system_packages.py; a test compares the two). git needs the certificates for https.
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates git python3 \
        binutils check g++ gcc libstb-dev libsubunit-dev make \
    && rm -rf /var/lib/apt/lists/*
# The number of the user who owns the folder on a Linux host; Docker Desktop needs none. Ubuntu's
# images have a user with the number 1000.
ARG USER_ID=1000
RUN if getent passwd ubuntu > /dev/null; then userdel --remove ubuntu; fi \
    && useradd --create-home --shell /bin/bash --uid "${USER_ID}" student \
    && install -d -o student -g student /convlabs
ENV LANG=C.UTF-8
WORKDIR /convlabs
CMD ["bash"]

# What the project's own tests need, too: docker build --target dev. The whole repository only.
FROM system AS dev
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        bubblewrap chromium clang libomp-dev \
    && rm -rf /var/lib/apt/lists/*
COPY --chown=student:student . .
USER student
RUN ./grade setup --pages

# The last stage is what `docker build .` makes.
FROM system AS course
COPY --chown=student:student . .
USER student
# The runtime, too: the first ./grade labN need not build it.
RUN ./grade setup && make runtime
