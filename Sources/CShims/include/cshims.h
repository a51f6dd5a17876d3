// What Swift's Glibc overlay and the importer cannot see: macros and Linux calls.
#ifndef PUSHBENCH_CSHIMS_H
#define PUSHBENCH_CSHIMS_H

#endif
