// Packages of the simulated device of the proxy module `dummy`.
import { compareDicts, type Dict, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { ofDummy, onDummy } from './dummy.ts'

const unused = (doc = 'Not used') => arg.any(doc, { optional: true })

const packages = async (ctx: FunctionContext): Promise<Dict> => {
  const found = await ofDummy(ctx, 'package_list')
  return isDict(found) ? found : new Map()
}

async function versionOf(ctx: FunctionContext, name: string): Promise<Value> {
  const found = await ofDummy(ctx, 'package_status', [name])
  return isDict(found) ? (found.get(name) ?? '') : ''
}

export default defineModule({
  name: 'dummyproxy_pkg',
  virtual: 'pkg',
  when: onDummy,
  doc: 'Packages of the device that the proxy module `dummy` makes up.',
  functions: {
    list_pkgs: reads({
      doc: 'Return the packages of the device with their versions.',
      args: { versions_as_list: unused(), kwargs: arg.open('Not used') },
      returns: ret.dict('Versions by name'),
      example: 'pkg.list_pkgs',
      run: packages,
    }),
    install: changes({
      doc: 'Install a package on the device.',
      args: {
        name: arg.text('Package name'),
        refresh: unused(),
        fromrepo: unused(),
        pkgs: unused(),
        sources: unused(),
        kwargs: arg.open('`version`: the version'),
      },
      returns: ret.any('The name and the version'),
      example: 'pkg.install redbull version=2.0',
      run: (ctx, { name, kwargs }) => ofDummy(ctx, 'package_install', [name], new Map<Value, Value>(kwargs)),
    }),
    remove: changes({
      doc: 'Remove a package from the device.',
      args: { name: arg.text('Package name'), pkgs: unused(), kwargs: arg.open('Not used') },
      returns: ret.any('The packages that are left'),
      example: 'pkg.remove redbull',
      run: (ctx, { name }) => ofDummy(ctx, 'package_remove', [name]),
    }),
    version: reads({
      doc: 'Return the version of a package of the device, or the versions of several by name.',
      args: { names: arg.rest('Package names'), kwargs: arg.open('Not used') },
      returns: ret.any('The version, empty where the package is not installed'),
      example: 'pkg.version apache',
      run: async (ctx, { names }) => {
        if (names.length === 1) return versionOf(ctx, str(names[0]!))
        const found = await Promise.all(names.map(async (name) => [name, await versionOf(ctx, str(name))] as const))
        return new Map(found)
      },
    }),
    upgrade: changes({
      doc: 'Upgrade all packages of the device.',
      args: {
        name: unused(),
        pkgs: unused(),
        refresh: unused(),
        skip_verify: unused(),
        normalize: unused(),
        kwargs: arg.open('Not used'),
      },
      returns: ret.dict('Old and new versions by name'),
      example: 'pkg.upgrade',
      run: async (ctx) => {
        const before = new Map(await packages(ctx))
        await ofDummy(ctx, 'upgrade')
        return compareDicts(before, await packages(ctx))
      },
    }),
    installed: reads({
      doc: 'Return whether a package of the device is installed, in a version where one is named.',
      args: {
        name: arg.text('Package name'),
        version: unused('The version'),
        refresh: unused(),
        fromrepo: unused(),
        skip_verify: unused(),
        pkgs: unused(),
        sources: unused(),
        kwargs: arg.open('Not used'),
      },
      returns: ret.boolean('Whether it is'),
      example: 'pkg.installed apache',
      run: async (ctx, { name, version }) => {
        const found = await versionOf(ctx, name)
        return version === null ? found !== '' : str(found) === str(version)
      },
    }),
  },
})
