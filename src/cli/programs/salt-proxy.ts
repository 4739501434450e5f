// The command line of salt-proxy.
import type { Program } from '../optparse/option.ts'
import {
  CONFIG_DIR,
  DAEMON,
  DISABLE_KEEPALIVE,
  HELP,
  LOGGING_OPTIONS,
  PROXYID,
  SALTFILE,
  USER,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SALT_PROXY: Program = {
  name: 'salt-proxy',
  usage: '[options]',
  description: 'A minion that stands for a device that cannot run one.',
  options: [
    VERSION,
    VERSIONS_REPORT,
    HELP,
    SALTFILE,
    CONFIG_DIR,
    PROXYID,
    USER,
    DAEMON,
    { flags: ['--pid-file'], dest: 'pidfile', default: '/var/run/salt-proxy.pid', help: 'file for the process id' },
    DISABLE_KEEPALIVE,
  ],
  groups: [LOGGING_OPTIONS],
}
