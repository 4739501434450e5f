// Applications and remotes of Flatpak.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

/** What is asked, what is done, and the sentences about it. */
interface Step {
  isRight: () => Promise<boolean>
  act: () => Value | Promise<Value>
  already: string
  would: string
  done: string
  failed: string
  /** Whether something is new afterwards. */
  adds: boolean
}

async function brought(ctx: StateContext, name: string, step: Step): Promise<StateReturn> {
  const changes = step.adds ? { new: name, old: '' } : {}
  const report = (result: boolean | null, comment: string, differs = {}): StateReturn => ({
    name,
    changes: differs,
    result,
    comment,
  })
  if (await step.isRight()) return report(ctx.test ? null : true, step.already)
  if (ctx.test) return report(null, step.would, changes)
  const outcome = (await step.act()) as Dict
  if (await step.isRight()) return report(true, step.done, changes)
  return report(false, `${step.failed}\noutput:\n${str(outcome.get('stderr') ?? '')}`)
}

const asks = (ctx: StateContext, fun: string, name: string, wanted: boolean) => async (): Promise<boolean> =>
  truthy(await ctx.call(`flatpak.${fun}`, [name])) === wanted

const name = arg.text('The application')

export default defineState({
  name: 'flatpak',
  doc: 'Keep applications of Flatpak.',
  when: async ({ host }) =>
    (await host.which('flatpak')) !== undefined ||
    'The flatpak state module cannot be loaded: the "flatpak" binary is not in the path.',
  functions: {
    installed: state({
      doc: 'An application is installed.',
      args: { name, location: arg.any('The remote it comes from', { default: '' }) },
      run: (ctx, { name: given, location }) => {
        const one = given
        const what = `Flatpak package "${one}"`
        return brought(ctx, one, {
          isRight: asks(ctx, 'is_installed', one, true),
          act: () => ctx.call('flatpak.install', [one, location]),
          already: `${what} is already installed`,
          would: `${what} would have been installed`,
          done: `${what} was installed`,
          failed: `${what} failed to install`,
          adds: true,
        })
      },
    }),
    uninstalled: state({
      doc: 'An application is not installed.',
      args: { name },
      run: (ctx, { name: given }) => {
        const one = given
        const what = `Flatpak package "${one}"`
        return brought(ctx, one, {
          isRight: asks(ctx, 'is_installed', one, false),
          act: () => ctx.call('flatpak.uninstall', [one]),
          already: `${what} is not installed`,
          would: `${what} would have been uninstalled`,
          done: `${what} uninstalled`,
          failed: `${what} failed to uninstall`,
          adds: false,
        })
      },
    }),
    add_remote: state({
      doc: 'A remote is known.',
      args: {
        name: arg.text('The remote'),
        location: arg.any('Where it is'),
        expected_homepage: arg.any('Has no effect', { optional: true }),
      },
      run: (ctx, { name: given, location }) => {
        const one = given
        return brought(ctx, one, {
          isRight: asks(ctx, 'is_remote_added', one, true),
          act: () => ctx.call('flatpak.add_remote', [one, location]),
          already: `Remote "${one}" already exists`,
          would: `Remote "${one}" would have been added`,
          done: `Remote "${one}" was added`,
          failed: `Failed to add remote "${one}"`,
          adds: true,
        })
      },
    }),
  },
})
