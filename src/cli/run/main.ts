// salt-run from its words to its exit status: the function runs in this process, beside the master.
import { consoleLog } from '../../base/mod.ts'
import { localKey, type MasterCallResult, runMasterFunction, socketAccess } from '../../client/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import { type Dict, isDict, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import { parseInput } from '../../sdk/mod.ts'
import { newJid } from '../../store/mod.ts'
import { logSettings, openLog } from '../logging.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_RUN } from '../programs/salt-run.ts'
import type { Streams } from '../streams.ts'

export function saltRun(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_RUN, argv, streams, async (line) => {
    const early = consoleLog('warning', streams.err)
    const read = (path: string) => clientConfig({ path, log: early, program: 'salt-run' })
    const opts = await programOptions({ program: SALT_RUN, line, streams, log: early, file: 'master', read })
    const log = openLog(logSettings(opts), streams.err)
    const access = socketAccess(opts, log)
    try {
      const { args, kwargs } = parseInput((opts.get('arg') ?? []) as Value[])
      const fun = str(opts.get('fun')!)
      const jid = newJid()
      if (ORCHESTRATIONS.has(fun)) kwargs.set('orchestration_jid', jid)
      const result = await runMasterFunction(access, {
        family: 'runner',
        fun,
        jid,
        args,
        kwargs,
        user: localKey(opts).user,
        print: streams.out,
        onProgress: (data) =>
          show(new Map<Value, Value>([['suffix', 'progress']]).set('event', data), data, opts, streams),
      })
      return report(result, opts, streams)
    } finally {
      access.close()
    }
  })
}

/** Steps of these tell their events under the number of this run. */
const ORCHESTRATIONS = new Set(['state.orchestrate', 'state.orch', 'state.sls'])

function report({ value, retcode, success, out }: MasterCallResult, opts: Dict, streams: Streams): number {
  const isDressed = isDict(value) && value.size === 2 && value.has('data') && value.has('outputter')
  show(isDressed ? value.get('data')! : value, value, opts, streams, { out, retcode })
  return success ? 0 : retcode === 0 ? 1 : retcode
}

interface Showing {
  out?: string | undefined
  retcode?: number
}

/** A dict may say itself which outputter shows it. */
function show(value: Value, wisher: Value, opts: Dict, streams: Streams, { out, retcode = 0 }: Showing = {}): void {
  const wish = isDict(wisher) ? textOf(wisher.get('outputter') ?? null) : undefined
  const kwargs = new Map<Value, Value>([['_retcode', retcode]])
  const screen = { terminal: streams.terminal, log: () => {}, kwargs }
  const text = display(wish ?? out ?? 'nested', value, opts, screen)
  if (text !== '' && !truthy(opts.get('quiet') ?? false)) streams.out(`${text}\n`)
}
