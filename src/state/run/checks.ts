// `onlyif`, `unless`, `creates` and `check_cmd`: commands, functions and files that decide whether a state runs, or
// whether it counts as done.
import type { Log } from '../../base/mod.ts'
import { recover } from '../../base/mod.ts'
import { type Dict, isList, PyError, SaltError, str, traverse, truthy, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import type { Registry } from '../../loader/mod.ts'
import type { LowChunk } from '../compile/types.ts'
import { Slots } from './slots.ts'
import { resultDict } from './surroundings.ts'

/** Arguments of the state that its conditions run under, too. */
const COMMAND_ARGUMENTS = ['cwd', 'root', 'runas', 'env', 'prepend_path', 'umask', 'timeout', 'success_retcodes']

/** True means "do not run the state", as in Salt. */
interface Verdict {
  skips: boolean
  comment?: string
  skipsWatch?: boolean
}

export class Checks {
  private readonly functions: Registry
  private readonly host: Host
  private readonly grains: Dict
  private readonly log: Log
  private readonly slots: Slots

  constructor(functions: Registry, host: Host, grains: Dict, log: Log) {
    this.functions = functions
    this.host = host
    this.grains = grains
    this.log = log
    this.slots = new Slots(functions, log)
  }

  static isWanted(low: LowChunk): boolean {
    return low.has('unless') || low.has('onlyif') || low.has('creates')
  }

  /** The part of a result that the conditions decide; `result` true means that the state is not run. */
  async conditions(low: LowChunk): Promise<Dict> {
    const verdicts: Verdict[] = []
    const options = this.commandOptions(low)
    if (low.has('onlyif')) verdicts.push(await this.onlyif(listed(low.get('onlyif')!), options))
    if (low.has('unless')) verdicts.push(await this.unless(listed(low.get('unless')!), options))
    if (low.has('creates')) verdicts.push(await this.creates(low.get('creates')!))
    const ret = resultDict([
      ['result', verdicts.some(({ skips }) => skips)],
      ['comment', verdicts.map(commentOf)],
      ...identity(low),
    ])
    if (verdicts.some(({ skipsWatch }) => skipsWatch)) ret.set('skip_watch', true)
    return ret
  }

  /** Whether `check_cmd` finds that the state did its work. */
  async checkCmd(low: LowChunk): Promise<Dict> {
    const ret = resultDict([['result', false], ...identity(low)])
    for (const command of listed(low.get('check_cmd')!)) {
      const retcode = await this.retcode(command, this.shellOption())
      const isDone = retcode === 0
      ret.set('comment', `check_cmd determined the state ${isDone ? 'succeeded' : 'failed'}`)
      ret.set('result', isDone)
      if (!isDone) break
    }
    return ret
  }

  private commandOptions(low: LowChunk): Record<string, Value> {
    const excluded = low.has('cmd_opts_exclude') ? listed(low.get('cmd_opts_exclude')!) : []
    const options: Record<string, Value> = {}
    for (const name of COMMAND_ARGUMENTS) if (!excluded.includes(name)) options[name] = low.get(name) ?? null
    if (low.has('shell') && !excluded.includes('shell')) options['shell'] = low.get('shell')!
    else Object.assign(options, this.shellOption())
    return options
  }

  private shellOption(): Record<string, Value> {
    const shell = this.grains.get('shell')
    return shell === undefined ? {} : { shell }
  }

  private async retcode(command: Value, options: Record<string, Value>): Promise<Value> {
    return this.functions.call('cmd.retcode', [command], { ignore_retcode: true, python_shell: true, ...options })
  }

  /** Return the return code of a command, or the given one if it cannot run at all. */
  private async retcodeOr(failed: number, command: string, options: Record<string, Value>): Promise<Value> {
    return recover(
      (error) => error instanceof SaltError && error.code === 'CommandExecutionError',
      failed,
      () => this.retcode(command, options),
    )
  }

  private async onlyif(entries: readonly Value[], options: Record<string, Value>): Promise<Verdict> {
    const no: Verdict = { skips: true, comment: 'onlyif condition is false', skipsWatch: true }
    let verdict: Verdict = { skips: false }
    for (const entry of entries) {
      if (typeof entry === 'string') {
        if ((await this.retcodeOr(100, entry, options)) !== 0) return no
      } else if (entry instanceof Map) {
        if (!entry.has('fun')) return this.noFunction('onlyif', entry, verdict)
        if (!(await this.holds(entry))) return no
      } else return { ...verdict, skips: false, comment: 'onlyif execution failed, bad type passed' }
      verdict = { skips: false, comment: 'onlyif condition is true' }
    }
    return verdict
  }

  private async unless(entries: readonly Value[], options: Record<string, Value>): Promise<Verdict> {
    const no: Verdict = { skips: false, comment: 'unless condition is false' }
    let verdict: Verdict = { skips: false }
    for (const entry of entries) {
      if (typeof entry === 'string') {
        if ((await this.retcodeOr(0, entry, options)) !== 0) return no
        verdict = { skips: true, comment: 'unless condition is true', skipsWatch: true }
      } else if (entry instanceof Map) {
        if (!entry.has('fun')) return this.noFunction('unless', entry, verdict)
        // a function that fails leaves the mark of an earlier condition in place, a command takes it away
        if (!(await this.holds(entry))) return { ...no, ...this.keptMark(verdict) }
        verdict = { skips: true, comment: 'unless condition is true', skipsWatch: true }
      } else verdict = { ...verdict, skips: false, comment: 'unless condition is false, bad type passed' }
    }
    return verdict
  }

  private keptMark({ skipsWatch }: Verdict): Partial<Verdict> {
    const failed = truthy(this.functions.ctx.memory.get('retcode') ?? 0)
    return skipsWatch && !failed ? { skipsWatch } : {}
  }

  private noFunction(keyword: string, entry: Dict, verdict: Verdict): Verdict {
    const comment = `no \`fun\` argument in ${keyword}: ${str(entry)}`
    this.log('warning', comment)
    return { ...verdict, comment }
  }

  /** Calls the function of a condition; a return code that it left decides before its result does. */
  private async holds(entry: Dict): Promise<boolean> {
    const path = entry.get('get_return') ?? null
    entry.delete('get_return')
    const fun = str(entry.get('fun')!)
    entry.delete('fun')
    const args = entry.get('args') ?? []
    entry.delete('args')
    const kwargs = new Map(Array.from(entry, ([key, value]) => [str(key), value]))
    const positional = new Map(listed(args).map((value, index) => [String(index), value]))
    await this.slots.fill(positional)
    await this.slots.fill(kwargs)
    let result = await this.functions.call(fun, [...positional.values()], kwargs)
    if (truthy(path)) result = traverse(result, path)
    const retcode = this.functions.ctx.memory.get('retcode') ?? 0
    return truthy(retcode) ? false : truthy(result)
  }

  private async creates(paths: Value): Promise<Verdict> {
    const exists = (path: Value): Promise<boolean> => this.host.access(str(path), 'exists')
    if (typeof paths === 'string' && (await exists(paths))) {
      return { skips: true, comment: `${paths} exists`, skipsWatch: true }
    }
    if (isList(paths)) {
      const all = await Promise.all(paths.map(exists))
      if (all.every(Boolean)) return { skips: true, comment: 'All files in creates exist', skipsWatch: true }
    }
    return { skips: false, comment: 'Creates files not found' }
  }
}

/** A list of no conditions leaves no comment, and Salt then fails for want of one. */
function commentOf({ comment }: Verdict): string {
  if (comment === undefined) throw new PyError('KeyError', "'comment'")
  return comment
}

const listed = (value: Value): Value[] => (isList(value) ? value : [value])

function identity(low: LowChunk): Array<[string, Value]> {
  return ['__sls__', '__id__', 'name'].map((key) => [key, low.get(key) ?? null])
}
