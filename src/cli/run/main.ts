// salt-run from its words to its exit status: the function runs in this process, beside the master.
import { consoleLog } from '../../base/mod.ts'
import { localKey, type MasterCallResult, runMasterFunction, socketAccess } from '../../client/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import { type Dict, str, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import { parseInput } from '../../sdk/mod.ts'
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
      const result = await runMasterFunction(access, {
        family: 'runner',
        fun: str(opts.get('fun')!),
        args,
        kwargs,
        user: localKey(opts).user,
        print: streams.out,
      })
      return report(result, opts, streams)
    } finally {
      access.close()
    }
  })
}

function report({ value, retcode, success, out }: MasterCallResult, opts: Dict, streams: Streams): number {
  const kwargs = new Map<Value, Value>([['_retcode', retcode]])
  const text = display(out ?? 'nested', value, opts, { terminal: streams.terminal, log: () => {}, kwargs })
  if (text !== '' && !truthy(opts.get('quiet') ?? false)) streams.out(`${text}\n`)
  return success ? 0 : retcode === 0 ? 1 : retcode
}
