// The C++ headers are seen by CJSON alone; this module only carries the link flag.
