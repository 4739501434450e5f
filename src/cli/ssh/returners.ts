// `--return`: returners that run on this side and get the targets' returns.
import { option } from '../../config/mod.ts'
import { type Dict, isDict, str, type Value } from '../../data/mod.ts'
import type { FunctionContext } from '../../sdk/mod.ts'
import type { SshAnswer, SshJobRequest, SshWork } from './work.ts'

export class Returners {
  private readonly work: SshWork
  private readonly job: { jid: string; request: SshJobRequest }
  private context: Promise<FunctionContext> | undefined

  constructor(work: SshWork, job: { jid: string; request: SshJobRequest }) {
    this.work = work
    this.job = job
  }

  /** Pass the return of a target to the returners; a failing returner is logged. */
  async hand({ id, full, shown, retcode }: SshAnswer): Promise<void> {
    const wanted = str(option(this.work.opts, 'return'))
    if (wanted === '') return
    const { handReturn, returnerNames } = await import('../../daemon/mod.ts')
    this.context ??= this.open()
    const ctx = await this.context
    ctx.opts.set('id', id)
    const { jid, request } = this.job
    const known: Dict = isDict(full) && full.has('return') ? new Map(full) : new Map<Value, Value>([['return', shown]])
    const fun = request.raw === undefined ? request.fun : 'ssh._raw'
    const args: Value[] = request.raw === undefined ? [...request.words] : [request.raw]
    const given: Dict = new Map<Value, Value>([
      ['fun', fun],
      ['fun_args', args],
      ...known,
      ['jid', jid],
      ['retcode', retcode],
      ['success', retcode === 0],
    ])
    await handReturn(ctx, returnerNames(wanted), given)
  }

  /** Load the functions of this machine with the options of the master. */
  private async open(): Promise<FunctionContext> {
    const { minionFunctions } = await import('../../minion/mod.ts')
    const { opts, log, access } = this.work
    const functions = minionFunctions({
      opts: new Map(opts),
      grains: new Map(),
      pillar: new Map(),
      host: access.host,
      log,
    })
    await functions.refresh()
    return functions.ctx
  }
}
