#include "platform/run_config.h"
