// Functions about kernel packages that all package managers share.
import { compareLoose, failure, PyError, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, type FunctionDeclaration, type Result, reads } from '../../../sdk/mod.ts'

export interface KernelPackages {
  /** Return the installed releases. */
  installed(ctx: FunctionContext): Promise<string[]>
  /** Return the newest release in the repositories; undefined without a newer one. */
  available(ctx: FunctionContext): Promise<Value | undefined>
  /** Install the newest release. */
  upgrade(ctx: FunctionContext): Promise<Value>
  /** Remove a release, and return the name of its package. */
  remove(ctx: FunctionContext, release: string): Promise<string>
}

export async function activeKernel(ctx: FunctionContext): Promise<Value> {
  const release = ctx.grains.get('kernelrelease') ?? null
  return ctx.has('pkg.normalize_name') ? ctx.call('pkg.normalize_name', [release]) : release
}

/** Sort releases; releases that cannot be compared keep their order. */
const inOrder = (releases: readonly string[]): string[] => [...releases].sort((a, b) => compareLoose(a, b) ?? 0)

/** Compare releases; a missing release raises the error of Salt. */
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

  /** Install the newest kernel, and reboot if wanted and needed. */
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
      doc: 'Return the release of the running kernel.',
      run: activeKernel,
    }),
    list_installed: reads({
      doc: 'List the installed kernel releases.',
      run: (ctx) => kernels.installed(ctx),
    }),
    latest_available: reads({
      doc: 'Return the newest kernel release in the repositories.',
      run: (ctx) => kernels.latestAvailable(ctx),
    }),
    latest_installed: reads({
      doc: 'Return the newest installed kernel release.',
      run: (ctx) => kernels.latestInstalled(ctx),
    }),
    needs_reboot: reads({
      doc: 'Return whether a newer kernel than the running one is installed.',
      run: (ctx) => kernels.needsReboot(ctx),
    }),
    upgrade: changes({
      doc: 'Install the newest kernel, and reboot if wanted.',
      example: 'kernelpkg.upgrade reboot=True at_time=1',
      args: {
        reboot: arg.flag('Reboot if the new kernel needs it', { default: false }),
        at_time: arg.any('Time of the reboot in the form of `system.reboot`: minutes or a text', { optional: true }),
      },
      run: (ctx, { reboot, at_time }) => kernels.upgrade(ctx, reboot, at_time),
    }),
    upgrade_available: reads({
      doc: 'Return whether the repositories have a newer kernel than the installed ones.',
      run: async (ctx) => isNewer(await kernels.latestAvailable(ctx), await kernels.latestInstalled(ctx)),
    }),
    remove: changes({
      doc: 'Remove a kernel release.',
      example: 'kernelpkg.remove 4.4.0-70-generic',
      args: { release: arg.text('Release in the form of `kernelpkg.list_installed`') },
      run: async (ctx, { release }) => ({ removed: [await kernels.remove(ctx, release)] }),
    }),
    cleanup: changes({
      doc: 'Remove all kernels except the running one.',
      args: { keep_latest: arg.flag('Keep the newest kernel too', { default: true }) },
      run: async (ctx, { keep_latest }) => ({ removed: await kernels.cleanUp(ctx, keep_latest) }),
    }),
  }
}
