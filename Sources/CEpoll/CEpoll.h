/// The Linux calls that Swift's Glibc module leaves out. Needs glibc 2.35 for `epoll_pwait2`.
#ifndef SCREENRIG_CEPOLL_H
#define SCREENRIG_CEPOLL_H
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#endif
