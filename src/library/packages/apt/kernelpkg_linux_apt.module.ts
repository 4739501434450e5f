// Kernels of Debian and its relatives: packages `linux-image-RELEASE`. The last part of a release is its flavour.
import { iterate, PyError, str, type Value } from '../../../data/mod.ts'
import { defineModule, type FunctionContext } from '../../../sdk/mod.ts'
import { activeKernel, kernelFunctions } from '../common/kernels.ts'

const PREFIX = 'linux-image'

/** Return the last part of the running release, such as `amd64` or `generic`. */
async function flavour(ctx: FunctionContext): Promise<string> {
  const found = /^[\w.+\-~]+-([^-\n]+)\n?$/.exec(str(await activeKernel(ctx)))?.[1]
  if (found === undefined) throw new PyError('AttributeError', "'NoneType' object has no attribute 'group'")
  return found
}

async function installed(ctx: FunctionContext): Promise<string[]> {
  const ending = `-${await flavour(ctx)}`
  const packages = await ctx.call('pkg.list_pkgs', [], { versions_as_list: true })
  const names = packages === null ? [] : Array.from(iterate(packages), str)
  return names
    .filter((name) => name.startsWith(`${PREFIX}-`) && name.endsWith(ending))
    .filter((name) => /^[\d.-]+$/.test(name.slice(PREFIX.length + 1, -ending.length)))
    .map((name) => name.slice(PREFIX.length + 1))
}

async function available(ctx: FunctionContext): Promise<Value | undefined> {
  const kind = await flavour(ctx)
  const version = await ctx.call('pkg.latest_version', [`${PREFIX}-${kind}`])
  if (version === '') return undefined
  const parts = /^(\d+\.\d+\.\d+)\.(\d+)/.exec(str(version))
  if (!parts) throw new PyError('AttributeError', "'NoneType' object has no attribute 'group'")
  return `${parts[1]}-${parts[2]}-${kind}`
}

const functions = kernelFunctions({
  installed,
  available,
  upgrade: async (ctx) => {
    const release = (await available(ctx)) ?? (await ctx.call('kernelpkg.latest_installed'))
    return ctx.call('pkg.install', [], { name: `${PREFIX}-${str(release)}` })
  },
  remove: async (ctx, release) => {
    const target = `${PREFIX}-${release}`
    ctx.log('info', `Removing kernel package ${target}`)
    await ctx.call('pkg.purge', [target])
    return target
  },
})

export default defineModule({
  name: 'kernelpkg_linux_apt',
  virtual: 'kernelpkg',
  doc: 'Manage the kernel packages of Debian and its relatives.',
  when: ({ grains }) =>
    ['Kali', 'Debian', 'Cumulus'].includes(str(grains.get('os_family') ?? '')) ||
    'Module kernelpkg_linux_apt: no APT based system detected',
  functions,
})
