// The command line of salt-master.
import type { Program } from '../optparse/option.ts'
import {
  CONFIG_DIR,
  DAEMON,
  DISABLE_KEEPALIVE,
  HELP,
  LOGGING_OPTIONS,
  SALTFILE,
  USER,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SALT_MASTER: Program = {
  name: 'salt-master',
  usage: '[options]',
  description: 'The master, which directs minions.',
  options: [
    VERSION,
    VERSIONS_REPORT,
    HELP,
    SALTFILE,
    CONFIG_DIR,
    USER,
    DAEMON,
    { flags: ['--pid-file'], dest: 'pidfile', default: '/var/run/salt-master.pid', help: 'file for the process id' },
    DISABLE_KEEPALIVE,
  ],
  groups: [LOGGING_OPTIONS],
}
