import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { scripted, tryFunction } from '../../../sdk/mod.ts'
import rsync from './module.ts'

async function ran(args: Value[], kwargs: Record<string, Value>, configured: Record<string, Value> = {}) {
  const { others, ran } = scripted({ 'rsync *': '' })
  const option = ([name]: readonly Value[]): Value => configured[String(name)] ?? ''
  await tryFunction(rsync, 'rsync', { args, kwargs, others: { ...others, 'config.option': option } })
  return ran
}

test.each<[Value[], Record<string, Value>, string]>([
  [['/a', '/b'], {}, 'rsync -avz /a /b'],
  [['/a', '/b'], { delete: true, dryrun: 1, rsh: 'ssh' }, 'rsync -avz --delete --rsh=ssh --dry-run /a /b'],
  [['/a', '/b'], { exclude: ['x', 'y'] }, 'rsync -avz --exclude x --exclude y /a /b'],
  [['/a', '/b'], { exclude: 'x', excludefrom: '/f' }, 'rsync -avz --exclude-from /f /a /b'],
  [['/a', '/b'], { passwordfile: '/p', additional_opts: ['--stats'] }, 'rsync -avz --password-file /p --stats /a /b'],
])('rsync.rsync %j %j runs %s', async (args, kwargs, line) => {
  expect(await ran(args, kwargs)).toEqual([line])
})

test('rsync.rsync takes missing arguments from the configuration', async () => {
  expect(await ran(['', '/b'], {}, { 'rsync.src': '/a', 'rsync.update': true })).toEqual(['rsync -avz --update /a /b'])
  await expect(ran(['', '/b'], {})).rejects.toThrow('src and dst cannot be empty')
})

test('rsync.version and rsync.config read the version and the configuration', async () => {
  const { others } = scripted({ 'rsync --version': 'rsync  version 3.2.7  protocol version 31' })
  expect(await tryFunction(rsync, 'version', { others })).toBe('3.2.7')
  const host = await MemoryHost.with({ files: { '/etc/rsyncd.conf': '[data]\n' } })
  expect(await tryFunction(rsync, 'config', { host })).toBe('[data]\n')
  await expect(tryFunction(rsync, 'config', { args: ['/none'], host })).rejects.toThrow('/none does not exist')
})
