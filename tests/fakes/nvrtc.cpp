// NVRTC's entry points of one version, FAKE_NVRTC_MAJOR.FAKE_NVRTC_MINOR, which compiles nothing. Built as a
// library for each of two versions, so that one can replace the other.

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = FAKE_NVRTC_MAJOR;
  *minor = FAKE_NVRTC_MINOR;
  return 0;
}

int nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return 0;
}

int nvrtcGetSupportedArchs(int* architectures) {
  architectures[0] = 90;
  architectures[1] = 80 + FAKE_NVRTC_MINOR;
  return 0;
}

int nvrtcAddNameExpression() { return 1; }
int nvrtcCompileProgram() { return 1; }
int nvrtcCreateProgram() { return 1; }
int nvrtcDestroyProgram() { return 1; }
int nvrtcGetCUBIN() { return 1; }
int nvrtcGetCUBINSize() { return 1; }
const char* nvrtcGetErrorString() { return "it compiles nothing"; }
int nvrtcGetLoweredName() { return 1; }
int nvrtcGetPTX() { return 1; }
int nvrtcGetPTXSize() { return 1; }
int nvrtcGetProgramLog() { return 1; }
int nvrtcGetProgramLogSize() { return 1; }

}  // extern "C"
