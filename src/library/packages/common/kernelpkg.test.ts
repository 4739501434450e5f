// Kernels as packages: the same questions to both families of systems.
import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import apt from '../apt/kernelpkg_linux_apt.module.ts'
import yum from '../rpm/kernelpkg_linux_yum.module.ts'

const DEBIAN = { active: '4.19.0-21-amd64', newest: '4.19.0-22-amd64', old: '4.19.0-9-amd64' }
const installed = [DEBIAN.newest, DEBIAN.old, DEBIAN.active]

function onDebian(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}, latest = '4.19.0.25.3') {
  const called: unknown[] = []
  const packages = [...installed.map((release) => `linux-image-${release}`), 'linux-image-amd64', 'vim']
  const listed = fromPlain(Object.fromEntries(packages.map((name) => [name, ['1']])))
  const note = (name: string) => (given: readonly Value[], named: unknown) => {
    called.push([name, ...given, ...Object.values(named as object)])
    return new Map<Value, Value>()
  }
  const others = {
    'pkg.list_pkgs': () => listed,
    'pkg.latest_version': () => latest,
    'pkg.install': note('install'),
    'pkg.purge': note('purge'),
    'system.reboot': note('reboot'),
    'kernelpkg.latest_installed': () => DEBIAN.newest,
  }
  const grains = new Map<Value, Value>([['kernelrelease', DEBIAN.active]])
  return tryFunction(apt, fun, { args, kwargs, grains, others }).then((answer) => ({ answer: toPlain(answer), called }))
}

test('kernels are listed in the order of their releases, without packages that hold none', async () => {
  expect((await onDebian('list_installed')).answer).toEqual([DEBIAN.old, DEBIAN.active, DEBIAN.newest])
  expect((await onDebian('needs_reboot')).answer).toBe(true)
})

test.each([
  ['4.19.0.25.3', '4.19.0-25-amd64', true],
  ['', DEBIAN.newest, false],
])('where the repositories have %j, the newest kernel is %s', async (latest, newest, isNewer) => {
  expect((await onDebian('latest_available', [], {}, latest)).answer).toBe(newest)
  expect((await onDebian('upgrade_available', [], {}, latest)).answer).toBe(isNewer)
  expect((await onDebian('upgrade', [], {}, latest)).called).toEqual([['install', `linux-image-${newest}`]])
})

test('an upgrade reboots only on request', async () => {
  const { answer, called } = await onDebian('upgrade', [], { reboot: true, at_time: 5 })
  expect(answer).toMatchObject({ active: DEBIAN.active, reboot_required: true, reboot_requested: true })
  expect(called.at(-1)).toEqual(['reboot', 5])
})

test('the kernel that runs stays, and with keep_latest the newest', async () => {
  await expect(onDebian('remove', [DEBIAN.active])).rejects.toThrow('Active kernel cannot be removed')
  await expect(onDebian('remove', ['1.0'])).rejects.toThrow("Kernel release '1.0' is not installed")
  const names = (answer: unknown): unknown => (answer as { removed: string[] }).removed
  expect(names((await onDebian('cleanup')).answer)).toEqual([`linux-image-${DEBIAN.old}`])
  expect(names((await onDebian('cleanup', [], { keep_latest: false })).answer)).toHaveLength(2)
})

test('a kernel of Red Hat that yum does not remove is an error with the changes', async () => {
  const others = {
    'pkg.version': () => ['3.10.0-957', '3.10.0-327'],
    'pkg.list_pkgs': () => new Map<Value, Value>([['kernel', 'a']]),
    'config.get': () => true,
    'cmd.run_all': () => fromPlain({ retcode: 1, stdout: '', stderr: 'boom' }),
  }
  const grains = new Map<Value, Value>([['kernelrelease', '3.10.0-957']])
  await expect(tryFunction(yum, 'remove', { args: ['3.10.0-327'], grains, others })).rejects.toThrow(
    'Error occurred removing package(s). Additional info follows:',
  )
})
