// Modules of the kernel: loaded or not, now and at boot.
import { isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wish {
  name: string
  persist: Value
  comment: Value
  mods: Value
}

const wantedOf = ({ name, mods }: Wish): string[] => [...new Set(isList(mods) ? mods.map(str) : [name])]

/** `Kernel module a is …`, or `Kernel modules a, b are …`. */
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

/** Loads or removes one after the other; what came along with an earlier one need not be loaded again. */
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

async function present(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, persist } = wish
  const ret = reportOn(name)
  const wanted = wantedOf(wish)
  let there = await listed(ctx, false)
  if (truthy(persist)) {
    const atBoot = await listed(ctx, true)
    there = new Set([...there].filter((mod) => atBoot.has(mod)))
  }
  const comments = about(
    wanted.filter((mod) => there.has(mod)),
    'already present',
  )
  const missing = wanted.filter((mod) => !there.has(mod))
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

async function absent(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, persist, comment } = wish
  const ret = reportOn(name)
  const wanted = wantedOf(wish)
  const there = await listed(ctx, false)
  if (truthy(persist)) for (const mod of await listed(ctx, true)) there.add(mod)
  const unwanted = wanted.filter((mod) => there.has(mod))
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

const name = arg.string('The module')
const persist = arg.flag('Whether at boot too', { default: false })
const mods = arg.any('Modules, in place of the name', { optional: true })

export default defineState({
  name: 'kmod',
  doc: 'Keep modules of the kernel loaded or not.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'kmod module could not be loaded',
  functions: {
    present: state({
      doc: 'Modules are loaded.',
      args: { name, persist, mods },
      run: (ctx, args) => present(ctx, { ...args, comment: true }),
    }),
    absent: state({
      doc: 'Modules are not loaded.',
      args: {
        name,
        persist,
        comment: arg.flag('Comment them out for boot instead of dropping the line', { default: true }),
        mods,
      },
      run: absent,
    }),
  },
})
