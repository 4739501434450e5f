// Arguments that start the daemon, for the function and the state.
import { arg } from '../../../sdk/mod.ts'

export const daemonArgs = {
  user: arg.text('User that syslog-ng runs as', { optional: true }),
  group: arg.text('Group that syslog-ng runs as', { optional: true }),
  chroot: arg.text('Root directory of syslog-ng', { optional: true }),
  caps: arg.text('Capabilities', { optional: true }),
  no_caps: arg.any('True disables the management of capabilities', { default: false }),
  pidfile: arg.text('Path of the PID file', { optional: true }),
  enable_core: arg.any('True enables core dumps', { default: false }),
  fd_limit: arg.text('Highest number of open files', { optional: true }),
  verbose: arg.any('True prints more', { default: false }),
  debug: arg.any('True prints debug messages', { default: false }),
  trace: arg.any('True prints trace messages', { default: false }),
  yydebug: arg.any('True prints messages of the configuration parser', { default: false }),
  persist_file: arg.any('True passes the option; a path is ignored, as in Salt', { optional: true }),
  control: arg.text('Path of the control socket', { optional: true }),
  worker_threads: arg.text('Number of worker threads', { optional: true }),
}
