// The command line of salt-proxy.
import type { Program } from '../optparse/option.ts'
import { daemonOptions, LOGGING_OPTIONS, PROXYID, STANDARD_OPTIONS, USER } from './common.ts'

export const SALT_PROXY: Program = {
  name: 'salt-proxy',
  usage: '[options]',
  description: 'A minion that stands for a device that cannot run one.',
  options: [...STANDARD_OPTIONS, PROXYID, USER, ...daemonOptions('salt-proxy')],
  groups: [LOGGING_OPTIONS],
}
