// What is the same wherever packages hold kernels: which of them run, which are newer, and which nobody needs.
import { compareLoose, PyError, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, type FunctionDeclaration, reads } from '../../../sdk/mod.ts'

export interface KernelPackages {
  /** Releases as the packages name them. */
  installed(ctx: FunctionContext): Promise<string[]>
  /** The newest release of the repositories; undefined when there is none but those that are installed. */
  available(ctx: FunctionContext): Promise<Value | undefined>
  /** Installs the newest one. */
  upgrade(ctx: FunctionContext): Promise<Value>
  /** Removes a release, and gives the name of its package. */
  remove(ctx: FunctionContext, release: string): Promise<string>
}

export async function activeKernel(ctx: FunctionContext): Promise<Value> {
  const release = ctx.grains.get('kernelrelease') ?? null
  return ctx.has('pkg.normalize_name') ? ctx.call('pkg.normalize_name', [release]) : release
}

const failure = (message: string): SaltError => new SaltError('CommandExecutionError', message)

/** Releases in their order; what cannot be compared stays as it is. */
const inOrder = (releases: readonly string[]): string[] => [...releases].sort((a, b) => compareLoose(a, b) ?? 0)

/** Without a release there is nothing that could be compared, which Salt says in these words. */
function isNewer(a: Value, b: Value): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') {
    throw new PyError('AttributeError', "'LooseVersion' object has no attribute 'version'")
  }
  return (compareLoose(a, b) ?? 0) > 0
}

export function kernelFunctions(packages: KernelPackages): Record<string, FunctionDeclaration> {
  const installed = async (ctx: FunctionContext): Promise<string[]> => inOrder(await packages.installed(ctx))
  const latestInstalled = async (ctx: FunctionContext): Promise<Value> => (await installed(ctx)).at(-1) ?? null
  const latestAvailable = async (ctx: FunctionContext): Promise<Value> =>
    (await packages.available(ctx)) ?? latestInstalled(ctx)
  const needsReboot = async (ctx: FunctionContext): Promise<boolean> =>
    isNewer(await latestInstalled(ctx), await activeKernel(ctx))

  const remove = async (ctx: FunctionContext, release: Value): Promise<string> => {
    if (!(await installed(ctx)).includes(str(release))) {
      throw failure(`Kernel release '${str(release)}' is not installed`)
    }
    if (release === (await activeKernel(ctx))) throw failure('Active kernel cannot be removed')
    return packages.remove(ctx, str(release))
  }

  return {
    active: reads('The release of the kernel that runs.', 'kernelpkg.active', {}, activeKernel),
    list_installed: reads('The releases that are installed.', 'kernelpkg.list_installed', {}, installed),
    latest_available: reads(
      'The newest release in the repositories.',
      'kernelpkg.latest_available',
      {},
      latestAvailable,
    ),
    latest_installed: reads('The newest release installed.', 'kernelpkg.latest_installed', {}, latestInstalled),
    needs_reboot: reads(
      'Whether a newer kernel than the running one is installed.',
      'kernelpkg.needs_reboot',
      {},
      needsReboot,
    ),
    upgrade: changes(
      'Install the newest kernel, and reboot for it if that is asked for.',
      'kernelpkg.upgrade reboot=True at_time=1',
      {
        reboot: arg.flag('Whether to reboot when it is needed', { default: false }),
        at_time: arg.any('When to, as `system.reboot` takes it', { optional: true }),
      },
      async (ctx, { reboot, at_time }) => {
        const upgrades = await packages.upgrade(ctx)
        const reboot_required = await needsReboot(ctx)
        const [active, latest_installed] = [await activeKernel(ctx), await latestInstalled(ctx)]
        if (reboot && reboot_required) {
          ctx.log('warning', 'Rebooting system due to kernel upgrade')
          await ctx.call('system.reboot', [], { at_time })
        }
        return { upgrades, active, latest_installed, reboot_requested: reboot, reboot_required }
      },
    ),
    upgrade_available: reads(
      'Whether the repositories have a newer kernel than those installed.',
      'kernelpkg.upgrade_available',
      {},
      async (ctx) => isNewer(await latestAvailable(ctx), await latestInstalled(ctx)),
    ),
    remove: changes(
      'Remove a kernel.',
      'kernelpkg.remove 4.4.0-70-generic',
      { release: arg.any('The release, as `kernelpkg.list_installed` names it') },
      async (ctx, { release }) => ({ removed: [await remove(ctx, release)] }),
    ),
    cleanup: changes(
      'Remove all kernels that do not run.',
      'kernelpkg.cleanup',
      { keep_latest: arg.flag('Whether the newest one is kept as well', { default: true }) },
      async (ctx, { keep_latest }) => {
        const removed: Value[] = []
        for (const release of await installed(ctx)) {
          if (release === (await activeKernel(ctx))) continue
          if (keep_latest && release === (await latestInstalled(ctx))) continue
          removed.push(await remove(ctx, release))
        }
        return { removed }
      },
    ),
  }
}
