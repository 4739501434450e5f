// salt-run without a running master: functions that need the master's sockets fail, those that read its files work.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { saltRun } from '../../src/cli/run/main.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-no-master-'))
  mkdirSync(join(root, 'etc'))
  writeFileSync(join(root, 'etc/master'), `root_dir: ${root}\ninterface: 127.0.0.1\nlog_file: /dev/null\n`)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function run(...words: string[]): Promise<{ status: number; printed: string }> {
  let printed = ''
  const take = (text: string): void => void (printed += text)
  const status = await saltRun(['-c', join(root, 'etc'), ...words], { out: take, err: take, terminal: false })
  return { status, printed }
}

const NOBODY = 'The salt master could not be contacted. Is master running?\n'

it.each([
  [['event.send', 'shop/opened', '{"by": "me"}']],
  [['resource.refresh', 'web1']],
  [['manage.up']],
  [['jobs.active']],
  [['salt.execute', '*', 'test.ping']],
  [['state.event', 'count=1']],
  [['--async', 'test.sleep', '1']],
  [['-a', 'pam', '--username', 'me', '--password', 'x', 'test.sleep', '1']],
])('salt-run %j fails with one clear error', async (words) => {
  expect(await run(...words)).toEqual({ status: 2, printed: NOBODY })
})

it('salt-run keeps the items of a queue without a listener', async () => {
  await run('queue.insert', 'deploys', 'web1')
  expect(await run('queue.process_queue', 'deploys')).toEqual({ status: 2, printed: NOBODY })
  expect(await run('queue.list_items', 'deploys')).toEqual({ status: 0, printed: '- web1\n' })
})

it.each([
  ['fileserver.update', 'True\n'],
  ['test.arg', 'args:\nkwargs:\n    ----------\n'],
])('salt-run %s works without a master', async (fun, printed) => {
  expect(await run(fun)).toEqual({ status: 0, printed })
})
