# A solution as an object for students' copies to time: $(OUT)/raw.o from $(OUT)/in.c or $(OUT)/in.cu.
# Read after the Makefile by grader/release/objects.py, which strips the object. The flags are those
# of timing (labs/runtime/submission.mk), but NATIVE names a kind of processor instead of this one, CUDA
# is for every GPU that the labs support, and nothing is kept for a debugger.
OBJECT_ARCH := 75,code=sm_75 80,code=sm_80 90,code=[sm_90,compute_90]
OBJECT_NVCC = $(filter-out -lineinfo -arch=%,$(PIC_NVCC)) $(OBJECT_ARCH:%=-gencode=arch=compute_%) \
              --threads 2 $(PACKED)
PACKED := -Xfatbin=-compress-all

.PHONY: object
object: $(OUT)/raw.o
$(OUT)/raw.o: $(wildcard $(OUT)/in.c $(OUT)/in.cu)
	$(Q)$(if $(filter %.cu,$<),$(OBJECT_NVCC),$(CC) $(STUDENT_CFLAGS) $(PIC) -g0 $(LABINC)) -c $< -o $@
