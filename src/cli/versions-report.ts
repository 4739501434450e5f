// `-V` and `--versions-report` of every program: what `test.versions_report` says of this machine.
import { silentLog } from '../base/mod.ts'
import { str, type Value } from '../data/mod.ts'
import { localMinion } from './call/local-minion.ts'
import { processStreams, type Streams } from './streams.ts'

export async function printVersions(streams: Streams = processStreams): Promise<number> {
  const { functions } = await localMinion(new Map<Value, Value>([['id', '']]), silentLog)
  streams.out(`${str(await functions.call('test.versions_report'))}\n`)
  return 0
}
