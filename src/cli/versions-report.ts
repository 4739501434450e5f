// `-V` and `--versions-report` of every program: the result of `test.versions_report` on this machine.
import { isAnyError, recover, silentLog } from '../base/mod.ts'
import { rawOption } from '../config/mod.ts'
import { type Dict, str, type Value } from '../data/mod.ts'
import { localMinion } from './call/local-minion.ts'
import { pythonOptions } from './python-options.ts'
import { processStreams, type Streams } from './streams.ts'

/** Options that affect which extensions are found. */
const NAMES = ['python_executable', 'python_extras', 'disable_extensions'] as const

/** `folder` is the directory of the configuration. */
export async function printVersions(streams: Streams = processStreams, folder?: string): Promise<number> {
  const opts: Dict = new Map<Value, Value>([['id', '']])
  const configured = await configuredOptions(folder)
  for (const name of NAMES) {
    const value = configured && rawOption(configured, name)
    if (value !== undefined) opts.set(name, value)
  }
  const { functions } = await localMinion(opts, silentLog)
  streams.out(`${str(await functions.call('test.versions_report'))}\n`)
  return 0
}

/** Read the options if possible: the report must work with an invalid configuration and without one. */
async function configuredOptions(folder: string | undefined): Promise<Dict | undefined> {
  return recover(isAnyError, undefined, () => pythonOptions(folder))
}
