// The command line of salt-minion.
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

export const SALT_MINION: Program = {
  name: 'salt-minion',
  usage: '[options]',
  description: 'The minion, which does what a master asks.',
  options: [
    VERSION,
    VERSIONS_REPORT,
    HELP,
    SALTFILE,
    CONFIG_DIR,
    USER,
    DAEMON,
    { flags: ['--pid-file'], dest: 'pidfile', default: '/var/run/salt-minion.pid', help: 'file for the process id' },
    DISABLE_KEEPALIVE,
  ],
  groups: [LOGGING_OPTIONS],
}
