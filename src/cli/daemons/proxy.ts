// salt-proxy: from the command line until it is stopped.
import type { Log } from '../../base/mod.ts'
import { minionConfig, option } from '../../config/mod.ts'
import { str } from '../../data/mod.ts'
import { configSources } from '../config-sources.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_PROXY } from '../programs/salt-proxy.ts'
import type { Streams } from '../streams.ts'
import { keepFromOthers, runDaemon } from './daemon.ts'
import { detach } from './detach.ts'

export function saltProxy(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_PROXY, argv, streams, async (line) => {
    const reads = (proxyId: string) => (path: string, log: Log) =>
      minionConfig({ path, log, ...configSources, proxyId, program: 'salt-proxy' })
    const read = reads(str(line.values.get('proxyid')!))
    const { opts, log } = await programOptions({ program: SALT_PROXY, line, streams, file: 'proxy', read })
    if (line.values.get('daemon') === true) return detach('salt-proxy', option(opts, 'log_file'), streams)
    keepFromOthers()
    const { ProxyGroup } = await import('../../minion/mod.ts')
    const optionsOf = (id: string, own: Log) => reads(id)(option(opts, 'conf_file'), own)
    const group = new ProxyGroup({ opts, log, optionsOf })
    return runDaemon({
      name: 'salt-proxy',
      opts,
      log,
      open: () => group.open(),
      started: () => group.minion.started,
      close: () => group.close(),
      ended: () => group.minion.ended,
    })
  })
}
