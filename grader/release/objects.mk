# A solution as an object for students' copies to time: $(OUT)/raw.o from $(OUT)/in.c or $(OUT)/in.cu.
# Read after the Makefile by grader/release/objects.py, which strips the object. The flags are those
# of timing (labs/runtime/submission.mk), but NATIVE names a kind of processor instead of this one, CUDA
# is for every GPU that the labs support, and nothing is kept for a debugger.
OBJECT_ARCH := 75,code=sm_75 80,code=sm_80 90,code=[sm_90,compute_90]
# nvcc's front end orders some of its work by addresses and by the names of its files: 16 runs made six
# versions of lab 4. Without random addresses, where the machine allows that, and in a folder that
# always has the same name, there are two; so objects.py keeps what was made.
STEADY := $(shell setarch -R true 2> /dev/null && echo setarch -R)
OBJECT_NVCC = $(STEADY) $(filter-out -lineinfo -arch=%,$(PIC_NVCC)) $(OBJECT_ARCH:%=-gencode=arch=compute_%) \
              --threads 2 -keep --keep-dir=$(OUT) $(PACKED)
PACKED := -Xfatbin=-compress-all

.PHONY: object
object: $(OUT)/raw.o
$(OUT)/raw.o: $(wildcard $(OUT)/in.c $(OUT)/in.cu)
	$(Q)$(if $(filter %.cu,$<),$(OBJECT_NVCC),$(CC) $(STUDENT_CFLAGS) $(PIC) -g0 $(LABINC)) -c $< -o $@
