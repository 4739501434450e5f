// Kernels of Red Hat and its relatives: several installed versions of the package `kernel`.
import { compareDicts, type Dict, iterate, str } from '../../../data/mod.ts'
import { CommandError, defineModule, runAll } from '../../../sdk/mod.ts'
import { scopeWords } from '../common/command.ts'
import { kernelFunctions } from '../common/kernels.ts'
import { programOf } from './yumpkg/program.ts'

const PACKAGE = 'kernel'
const OTHERS = ['amazon', 'xcp', 'xenserver', 'virtuozzolinux']

const functions = kernelFunctions({
  installed: async (ctx) => {
    const versions = await ctx.call('pkg.version', [PACKAGE], { versions_as_list: true })
    return versions === null ? [] : Array.from(iterate(versions), str)
  },
  available: async (ctx) => {
    const version = await ctx.call('pkg.latest_version', [PACKAGE])
    return version === '' ? undefined : version
  },
  upgrade: async (ctx) => ctx.call('pkg.upgrade', [], { name: PACKAGE }),
  remove: async (ctx, release) => {
    const target = `${PACKAGE}-${release}`
    ctx.log('info', `Removing kernel package ${target}`)
    const old = await ctx.call('pkg.list_pkgs')
    const words = [...(await scopeWords(ctx)), await programOf(ctx), '-y', 'remove', target]
    const { retcode, stderr } = await runAll(ctx, words, { output_loglevel: 'trace' })
    ctx.memory.delete('pkg.list_pkgs')
    const changes = compareDicts(old, await ctx.call('pkg.list_pkgs'))
    if (retcode === 0) return target
    const info: Dict = new Map()
    throw new CommandError('Error occurred removing package(s)', info.set('errors', [stderr]).set('changes', changes))
  },
})

export default defineModule({
  name: 'kernelpkg_linux_yum',
  virtual: 'kernelpkg',
  doc: 'Manage the kernel packages of Red Hat and its relatives.',
  when: ({ grains }) =>
    grains.get('os_family') === 'RedHat' ||
    OTHERS.includes(str(grains.get('os') ?? '').toLowerCase()) ||
    'Module kernelpkg_linux_yum: no YUM based system detected',
  functions,
})
