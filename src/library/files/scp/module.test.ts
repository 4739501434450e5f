// Copies by scp: the commands that they run.
import { expect, test } from 'vitest'
import { tuple, type Value } from '../../../data/mod.ts'
import { type Command, MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import scp from './module.ts'

async function copied(fun: string, args: Value[], kwargs: Record<string, Value>, retcode = 0) {
  const commands: Command[] = []
  const host = await MemoryHost.with({ files: { '/usr/bin/sshpass': '' } })
  await host.chmod('/usr/bin/sshpass', 0o755)
  host.run = async (command) => {
    commands.push(command)
    const stderr = Buffer.from(retcode === 0 ? '' : 'Host key verification failed.\n')
    return { pid: 1, retcode, stdout: Buffer.of(), stderr, timedOut: false, truncated: false }
  }
  const others = { 'cp.cache_file': ([file]: readonly Value[]) => (file === 'salt://none' ? '' : `/cache${file}`) }
  await tryFunction(scp, fun, { args, kwargs, host, others })
  return { words: commands[0]!.argv.join(' '), env: commands[0]!.env }
}

const PLAIN = 'scp -o StrictHostKeyChecking=yes -o BatchMode=yes'

test.each([
  ['get', ['/r', '/l'], { hostname: 'h' }, `${PLAIN} -- h:/r /l`],
  [
    'get',
    ['/r'],
    { hostname: '::1', username: 'me', port: 2222, recursive: true, key_filename: '/k', auto_add_policy: true },
    'scp -r -P 2222 -i /k -o StrictHostKeyChecking=accept-new -o BatchMode=yes -- me@[::1]:/r .',
  ],
  [
    'put',
    [['/a', '/b'], '/t'],
    { hostname: 'h', preserve_times: true, timeout: 5 },
    'scp -p -o StrictHostKeyChecking=yes -o BatchMode=yes -o ConnectTimeout=5 -- /cache/a /cache/b h:/t',
  ],
  ['put', [tuple(['/a', '/b'])], { hostname: 'h' }, `${PLAIN} -- /cache/a /cache/b h:.`],
])('scp.%s %j %j runs %s', async (fun, args, kwargs, words) => {
  expect((await copied(fun, args as Value[], kwargs)).words).toBe(words)
})

test('a password is no word of the command', async () => {
  const { words, env } = await copied('get', ['/r', '/l'], { hostname: 'h', password: 'secret' })
  expect(words).toBe('sshpass -e scp -o StrictHostKeyChecking=yes -- h:/r /l')
  expect(env!.get('SSHPASS')).toBe('secret')
})

test('a refusal of scp or a missing file is an error', async () => {
  await expect(copied('get', ['/r', '/l'], { hostname: 'h' }, 1)).rejects.toThrow('scp failed: Host key verification')
  await expect(copied('get', ['/r', '/l'], {})).rejects.toThrow('The argument hostname is missing')
  await expect(copied('put', ['salt://none'], { hostname: 'h' })).rejects.toThrow('There is no file salt://none')
})
