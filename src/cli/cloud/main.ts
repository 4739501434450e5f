// salt-cloud: from the command line to the exit status. Unlike in Salt, the status of a failure is not 0.
import { BrineError, type Log, withHint } from '../../base/mod.ts'
import { type Cloud, openCloud } from '../../cloud/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { socketAccess } from '../../runner/mod.ts'
import { configSources } from '../config-sources.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_CLOUD } from '../programs/salt-cloud.ts'
import { type Asking, Questions } from '../questions.ts'
import { Printed } from '../run/show.ts'
import { becomeConfigured } from '../running-as.ts'
import type { Streams } from '../streams.ts'
import { bootstrapProvider, bootstrapRequest } from './bootstrap.ts'
import { type CloudOptions, takeOptions } from './cloud-options.ts'
import { type CloudWork, workOf } from './work.ts'

const EX_FAILED = 1
const EX_INTERRUPTED = 130

/** Replaced by tests: answers and drivers. */
export interface CloudProgram {
  questions?: Asking
  drivers?: NonNullable<Parameters<typeof openCloud>[0]['drivers']>
}

export function saltCloud(argv: readonly string[], streams: Streams, program: CloudProgram = {}): Promise<number> {
  const { questions = new Questions(), drivers } = program
  return runProgram(SALT_CLOUD, argv, streams, async (line) => {
    const options = takeOptions(line)
    if (options.flag('update_bootstrap')) {
      streams.out('Nothing to update: the built-in deployment needs no bootstrap script.\n')
      return 0
    }
    const work = process.env['DUMP_SALT_CLOUD_CONFIG'] ? dump : workOf(options)
    const read = (path: string, log: Log) => clientConfig({ path, log, ...configSources, program: 'salt-cloud' })
    const { opts, log } = await programOptions({ program: SALT_CLOUD, line, streams, file: 'master', read })
    await becomeConfigured(opts, log)
    const stopped = new AbortController()
    const stop = (): void => {
      streams.err('Interrupted: what has begun is undone. A second interruption leaves that to the next salt-cloud\n')
      stopped.abort()
    }
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
    const access = socketAccess(opts, log)
    let cloud: Cloud | undefined
    try {
      const extra = options.text('bootstrap') === undefined ? undefined : bootstrapProvider(bootstrapRequest(options))
      const opening = { access, ...configSources, signal: stopped.signal, given: givenSettings(options) }
      cloud = await openCloud({ ...opening, ...(extra && { extra }), ...(drivers && { drivers }) })
      const isClean = await cloud.settle()
      const outcome = await work({ cloud, options, streams, questions, log })
      if (outcome.value !== undefined)
        await new Printed(opts, streams, log).value(outcome.value, 'nested', outcome.failed ? 1 : 0)
      if (stopped.signal.aborted) return EX_INTERRUPTED
      return outcome.failed || !isClean ? EX_FAILED : 0
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      streams.err(`Error: ${withHint(error.message, error.hint)}\n`)
      return stopped.signal.aborted ? EX_INTERRUPTED : EX_FAILED
    } finally {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
      await cloud?.close()
      access.close()
    }
  }).finally(() => questions.close())
}

/** Print the configuration, as Salt's program does for this environment variable. */
const dump: CloudWork = async ({ cloud }) => ({ value: cloud.configuration(), failed: false })

/** Settings of the command line that count for all machines. */
function givenSettings(options: CloudOptions): Dict {
  const given: Dict = new Map()
  if (!options.flag('deploy')) given.set('deploy', false)
  if (options.flag('keep_tmp')) given.set('keep_tmp', true)
  if (options.flag('show_deploy_args')) given.set('show_deploy_args', true)
  const [location, script] = [options.text('location'), options.text('script_args')]
  if (location !== undefined) given.set('location', location)
  if (script !== undefined) given.set('script_args', script)
  return given
}
