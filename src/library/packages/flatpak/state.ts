// Applications and remotes of Flatpak.
import { type Dict, str } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

/** The check and the action of a state, and its comments. */
interface Step {
  isRight: () => boolean | Promise<boolean>
  act: () => Dict | Promise<Dict>
  already: string
  would: string
  done: string
  failed: string
  /** Whether the step adds the thing, instead of removing it. */
  adds: boolean
}

function applied(ctx: StateContext, name: string, step: Step): Promise<StateReturn> {
  const changes = step.adds ? { new: name, old: '' } : {}
  return ensure(ctx, {
    name,
    look: async () => {
      if (!(await step.isRight())) return null
      return ctx.test ? foreseen(step.already) : settled(step.already)
    },
    foresee: () => foreseen(step.would, changes),
    act: async () => {
      const outcome = await step.act()
      if (await step.isRight()) return changed(step.done, changes)
      return failed(`${step.failed}\noutput:\n${str(outcome.get('stderr') ?? '')}`)
    },
  })
}

const name = arg.text('Application id, such as `org.gimp.GIMP`')

export default defineState({
  name: 'flatpak',
  doc: 'Manage applications and remotes of Flatpak.',
  when: async ({ host }) =>
    (await host.which('flatpak')) !== undefined ||
    'The flatpak state module cannot be loaded: the "flatpak" binary is not in the path.',
  functions: {
    installed: state({
      doc: 'Ensure that an application is installed.',
      args: { name, location: arg.text('Name of the remote to install from', { default: '' }) },
      run: (ctx, { name, location }) =>
        applied(ctx, name, {
          isRight: () => ctx.call('flatpak.is_installed', [name]),
          act: () => ctx.call('flatpak.install', [name, location]),
          already: `Flatpak package "${name}" is already installed`,
          would: `Flatpak package "${name}" would have been installed`,
          done: `Flatpak package "${name}" was installed`,
          failed: `Flatpak package "${name}" failed to install`,
          adds: true,
        }),
    }),
    uninstalled: state({
      doc: 'Ensure that an application is not installed.',
      args: { name },
      run: (ctx, { name }) =>
        applied(ctx, name, {
          isRight: async () => !(await ctx.call('flatpak.is_installed', [name])),
          act: () => ctx.call('flatpak.uninstall', [name]),
          already: `Flatpak package "${name}" is not installed`,
          would: `Flatpak package "${name}" would have been uninstalled`,
          done: `Flatpak package "${name}" uninstalled`,
          failed: `Flatpak package "${name}" failed to uninstall`,
          adds: false,
        }),
    }),
    add_remote: state({
      doc: 'Ensure that a remote is configured.',
      args: {
        name: arg.text('Name of the remote'),
        location: arg.text('URL of the remote'),
        expected_homepage: arg.text('Ignored', { optional: true }),
      },
      run: (ctx, { name, location }) =>
        applied(ctx, name, {
          isRight: () => ctx.call('flatpak.is_remote_added', [name]),
          act: () => ctx.call('flatpak.add_remote', [name, location]),
          already: `Remote "${name}" already exists`,
          would: `Remote "${name}" would have been added`,
          done: `Remote "${name}" was added`,
          failed: `Failed to add remote "${name}"`,
          adds: true,
        }),
    }),
  },
})
