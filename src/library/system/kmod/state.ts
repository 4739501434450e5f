// States of kernel modules.
import { isList, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Request = Bound<typeof absentArgs>

const wantedOf = ({ name, mods }: Request): string[] => [...new Set(isList(mods) ? mods.map(str) : [name])]

/** Return `Kernel module a is …`, or `Kernel modules a, b are …`. */
function about(mods: readonly string[], what: string): string[] {
  if (mods.length === 0) return []
  const [noun, verb] = mods.length === 1 ? ['module', 'is'] : ['modules', 'are']
  return [`Kernel ${noun} ${mods.join(', ')} ${verb} ${what}`]
}

const did = (what: string, mods: readonly string[]): string[] =>
  mods.length === 0 ? [] : [`${what} kernel module${mods.length === 1 ? '' : 's'} ${mods.join(', ')}`]

async function listed(ctx: StateContext, atBoot: boolean): Promise<Set<string>> {
  const mods = await ctx.call('kmod.mod_list', atBoot ? [true] : [])
  return new Set(mods.map(str))
}

interface Handled {
  changes: Record<string, string>
  comments: string[]
  failed: boolean
}

interface Handling {
  verb: 'load' | 'remove'
  done: string
  change: string
  call(mod: string): Promise<Value>
}

/** Load or remove modules in turn; skip modules that were loaded as a dependency. */
async function handle(mods: readonly string[], { verb, done, change, call }: Handling): Promise<Handled> {
  const changes: Record<string, string> = {}
  const [yes, no, failed]: [string[], string[], string[]] = [[], [], []]
  for (const mod of mods) {
    if (verb === 'load' && Object.hasOwn(changes, mod)) {
      yes.push(mod)
      continue
    }
    const answer = await call(mod)
    if (!isList(answer)) {
      failed.push(`Failed to ${verb} kernel module ${mod}: ${str(answer)}`)
      continue
    }
    for (const touched of answer) changes[str(touched)] = change
    ;(answer.length > 0 ? yes : no).push(mod)
  }
  const comments = [...did(done, yes), ...did(`Failed to ${verb}`, no), ...failed]
  return { changes, comments, failed: no.length + failed.length > 0 }
}

async function present(ctx: StateContext, request: Request): Promise<StateReturn> {
  const { name, persist } = request
  const ret = reportOn(name)
  const wanted = wantedOf(request)
  let present = await listed(ctx, false)
  if (persist) {
    const atBoot = await listed(ctx, true)
    present = new Set([...present].filter((mod) => atBoot.has(mod)))
  }
  const comments = about(
    wanted.filter((mod) => present.has(mod)),
    'already present',
  )
  const missing = wanted.filter((mod) => !present.has(mod))
  if (missing.length === 0) return ret(true, comments.join('\n'))
  if (ctx.test) return ret(null, [...comments, ...about(missing, 'set to be loaded')].join('\n'))
  const available = new Set((await ctx.call('kmod.available')).map(str))
  const unavailable = missing.filter((mod) => !available.has(mod))
  const handled = await handle(
    missing.filter((mod) => available.has(mod)),
    { verb: 'load', done: 'Loaded', change: 'loaded', call: async (mod) => ctx.call('kmod.load', [mod, persist]) },
  )
  const result = unavailable.length === 0 && !handled.failed
  return ret(
    result,
    [...comments, ...about(unavailable, 'unavailable'), ...handled.comments].join('\n'),
    handled.changes,
  )
}

async function absent(ctx: StateContext, request: Request): Promise<StateReturn> {
  const { name, persist, comment } = request
  const ret = reportOn(name)
  const wanted = wantedOf(request)
  const present = await listed(ctx, false)
  if (persist) for (const mod of await listed(ctx, true)) present.add(mod)
  const unwanted = wanted.filter((mod) => present.has(mod))
  if (unwanted.length === 0) return ret(true, about(wanted, 'already removed').join('\n'))
  if (ctx.test) return ret(null, about(unwanted, 'set to be removed').join('\n'))
  const { failed, comments, changes } = await handle(unwanted, {
    verb: 'remove',
    done: 'Removed',
    change: 'removed',
    call: async (mod) => ctx.call('kmod.remove', [mod, persist, comment]),
  })
  return ret(!failed, comments.join('\n'), changes)
}

const name = arg.string('Kernel module')
const persist = arg.flag('Whether to change the modules loaded at boot as well', { default: false })
const mods = arg.any('List of modules, used instead of the name', { optional: true })

const absentArgs = {
  name,
  persist,
  comment: arg.flag('Whether to comment out the lines for boot instead of removing them', { default: true }),
  mods,
}

export default defineState({
  name: 'kmod',
  doc: 'Manage kernel modules.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'kmod module could not be loaded',
  functions: {
    present: state({
      doc: 'Ensure that kernel modules are loaded.',
      args: { name, persist, mods },
      run: (ctx, args) => present(ctx, { ...args, comment: true }),
    }),
    absent: state({ doc: 'Ensure that kernel modules are not loaded.', args: absentArgs, run: absent }),
  },
})
