// What is the same wherever packages hold kernels: which of them run, which are newer, and which nobody needs.
import { compareLoose, PyError, SaltError, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, type FunctionDeclaration, type Result, reads } from '../../../sdk/mod.ts'

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

/** The kernels of one kind of packages. */
class Kernels {
  private readonly packages: KernelPackages

  constructor(packages: KernelPackages) {
    this.packages = packages
  }

  async installed(ctx: FunctionContext): Promise<string[]> {
    return inOrder(await this.packages.installed(ctx))
  }

  async latestInstalled(ctx: FunctionContext): Promise<string | null> {
    return (await this.installed(ctx)).at(-1) ?? null
  }

  async latestAvailable(ctx: FunctionContext): Promise<Value> {
    return (await this.packages.available(ctx)) ?? this.latestInstalled(ctx)
  }

  async needsReboot(ctx: FunctionContext): Promise<boolean> {
    return isNewer(await this.latestInstalled(ctx), await activeKernel(ctx))
  }

  /** Install the newest kernel, and reboot for it if that is wanted. */
  async upgrade(ctx: FunctionContext, reboot: boolean, at_time: Value): Promise<Result> {
    const upgrades = await this.packages.upgrade(ctx)
    const reboot_required = await this.needsReboot(ctx)
    const [active, latest_installed] = [await activeKernel(ctx), await this.latestInstalled(ctx)]
    if (reboot && reboot_required) {
      ctx.log('warning', 'Rebooting system due to kernel upgrade')
      await ctx.call('system.reboot', [], { at_time })
    }
    return { upgrades, active, latest_installed, reboot_requested: reboot, reboot_required }
  }

  async remove(ctx: FunctionContext, release: string): Promise<string> {
    if (!(await this.installed(ctx)).includes(release)) throw failure(`Kernel release '${release}' is not installed`)
    if (release === (await activeKernel(ctx))) throw failure('Active kernel cannot be removed')
    return this.packages.remove(ctx, release)
  }

  /** Remove all kernels that do not run, and return their releases. */
  async cleanUp(ctx: FunctionContext, keepsLatest: boolean): Promise<string[]> {
    const removed: string[] = []
    for (const release of await this.installed(ctx)) {
      if (release === (await activeKernel(ctx))) continue
      if (keepsLatest && release === (await this.latestInstalled(ctx))) continue
      removed.push(await this.remove(ctx, release))
    }
    return removed
  }
}

export function kernelFunctions(packages: KernelPackages): Record<string, FunctionDeclaration> {
  const kernels = new Kernels(packages)
  return {
    active: reads({
      doc: 'The release of the kernel that runs.',
      example: 'kernelpkg.active',
      args: {},
      run: activeKernel,
    }),
    list_installed: reads({
      doc: 'The releases that are installed.',
      example: 'kernelpkg.list_installed',
      args: {},
      run: (ctx) => kernels.installed(ctx),
    }),
    latest_available: reads({
      doc: 'The newest release in the repositories.',
      example: 'kernelpkg.latest_available',
      args: {},
      run: (ctx) => kernels.latestAvailable(ctx),
    }),
    latest_installed: reads({
      doc: 'The newest release installed.',
      example: 'kernelpkg.latest_installed',
      args: {},
      run: (ctx) => kernels.latestInstalled(ctx),
    }),
    needs_reboot: reads({
      doc: 'Whether a newer kernel than the running one is installed.',
      example: 'kernelpkg.needs_reboot',
      args: {},
      run: (ctx) => kernels.needsReboot(ctx),
    }),
    upgrade: changes({
      doc: 'Install the newest kernel, and reboot for it if that is asked for.',
      example: 'kernelpkg.upgrade reboot=True at_time=1',
      args: {
        reboot: arg.flag('Whether to reboot when it is needed', { default: false }),
        at_time: arg.any('When to, as `system.reboot` takes it', { optional: true }),
      },
      run: (ctx, { reboot, at_time }) => kernels.upgrade(ctx, reboot, at_time),
    }),
    upgrade_available: reads({
      doc: 'Whether the repositories have a newer kernel than those installed.',
      example: 'kernelpkg.upgrade_available',
      args: {},
      run: async (ctx) => isNewer(await kernels.latestAvailable(ctx), await kernels.latestInstalled(ctx)),
    }),
    remove: changes({
      doc: 'Remove a kernel.',
      example: 'kernelpkg.remove 4.4.0-70-generic',
      args: { release: arg.text('The release, as `kernelpkg.list_installed` names it') },
      run: async (ctx, { release }) => ({ removed: [await kernels.remove(ctx, release)] }),
    }),
    cleanup: changes({
      doc: 'Remove all kernels that do not run.',
      example: 'kernelpkg.cleanup',
      args: { keep_latest: arg.flag('Whether the newest one is kept as well', { default: true }) },
      run: async (ctx, { keep_latest }) => ({ removed: await kernels.cleanUp(ctx, keep_latest) }),
    }),
  }
}
