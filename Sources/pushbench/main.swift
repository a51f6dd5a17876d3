import Foundation
import Results

Terminal.guardStandardDescriptors()
// A reader that goes away is told by the write that fails, not by a signal.
signal(SIGPIPE, SIG_IGN)
// So is a limit of a file's size.
signal(SIGXFSZ, SIG_IGN)
exit(Pushbench.main(Array(CommandLine.arguments.dropFirst())).rawValue)
