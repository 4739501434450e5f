import { describe, expect, test } from 'vitest'
import { decodeBytes, str, type Value } from '../../../data/mod.ts'
import { type MemoryFile, MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import { kindOf } from './module/keys.ts'
import { parseEntries } from './module/known-hosts.ts'
import ssh from './module.ts'

const KEY = 'AAAAB3NzaC1yc2EAAAADAQABAAAAQQC7'
const FILE = '/home/web/.ssh/authorized_keys'
const HELD = `# ours\n\nno-pty,command="a b" ssh-rsa ${KEY} me at home\nnot a key\n`

const others = {
  'user.info': ([name]: readonly Value[]): Value =>
    new Map<Value, Value>(name === 'web' ? Object.entries({ home: '/home/web', uid: 7, gid: 8 }) : []),
}

async function call(fun: string, args: Value[], text?: string): Promise<{ answer: Value; after: string | undefined }> {
  const host = await MemoryHost.with({ files: { '/home/web/': '', ...(text !== undefined && { [FILE]: text }) } })
  const answer = await tryFunction(ssh, fun, { args, host, others })
  const after = (await host.stat(FILE)) && decodeBytes(await host.read(FILE))
  return { answer, after }
}

describe('authorized keys', () => {
  test('are read with their options and comment', async () => {
    const { answer } = await call('auth_keys', ['web'], HELD)
    const facts = (answer as Map<string, Map<string, Value>>).get(KEY)!
    expect([facts.get('enc'), facts.get('comment'), facts.get('options')]).toEqual([
      'ssh-rsa',
      'me at home',
      ['no-pty', 'command="a b"'],
    ])
  })

  test.each<[string, Value[], string | undefined, string, string | undefined]>([
    ['set_auth_key', ['web', KEY, 'rsa', 'new'], undefined, 'new', `ssh-rsa ${KEY} new\n`],
    ['set_auth_key', ['web', KEY], 'no newline', 'new', `no newline\nssh-rsa ${KEY} \n`],
    ['set_auth_key', ['web', KEY, 'rsa', 'x'], `#c\n\nssh-rsa ${KEY} y`, 'replace', `#c\nssh-rsa ${KEY} x\n`],
    ['set_auth_key', ['web', KEY, 'rsa', 'x'], `ssh-rsa ${KEY} x`, 'no change', `ssh-rsa ${KEY} x`],
    ['set_auth_key', ['web', 'no/base64'], undefined, 'Invalid public key', undefined],
    ['set_auth_key', ['nobody', KEY], undefined, 'fail', undefined],
    ['rm_auth_key', ['web', KEY], HELD, 'Key removed', '# ours\n'],
    ['rm_auth_key', ['web', 'AAAA'], HELD, 'Key not present', HELD],
    ['check_key', ['web', KEY, 'rsa', 'other', []], HELD, 'update', HELD],
  ])('ssh.%s %j', async (fun, args, text, answer, after) => {
    expect(await call(fun, args, text)).toEqual({ answer, after })
  })
})

describe('links of a user', () => {
  const RSA = `ssh-rsa ${KEY} \n`
  const outside = { '/etc/keys/': { uid: 0 }, '/etc/keys/authorized_keys': RSA, '/etc/keys/known_hosts': 'x' }

  test.each<[string, Value[]]>([
    ['set_auth_key', ['web', KEY, 'rsa', 'changed']],
    ['rm_auth_key', ['web', KEY]],
    ['rm_known_host', ['web', 'host']],
    ['hash_known_hosts', ['web']],
  ])('root does not write through them to places of others: ssh.%s', async (fun, args) => {
    const files = { ...outside, '/home/web/.ssh': { link: '/etc/keys', uid: 7 } }
    const host = await MemoryHost.with({ files, commands: [({ argv }) => (argv[0] === 'sh' ? '' : undefined)] })
    host.which = async (program) => `/bin/${program}`
    const answer = await tryFunction(ssh, fun, { args, host, others }).then(str, String)
    expect(answer).toContain(
      'Root does not write through the link /home/web/.ssh of uid 7: it leads to /etc/keys of another owner',
    )
    expect(decodeBytes(await host.read('/etc/keys/authorized_keys'))).toBe(RSA)
  })

  test.each<[string, Record<string, MemoryFile>, string]>([
    ['of the user', { '/data/web/': { uid: 7 }, '/home/web/.ssh': { link: '../../data/web', uid: 7 } }, '/data/web'],
    ['of root', { '/data/web/': { uid: 7 }, '/home/web/.ssh': { link: '/data/web', uid: 0 } }, '/data/web'],
  ])('root follows links %s', async (_owner, files, directory) => {
    const host = await MemoryHost.with({ files })
    expect(await tryFunction(ssh, 'set_auth_key', { args: ['web', KEY], host, others })).toBe('new')
    expect(decodeBytes(await host.read(`${directory}/authorized_keys`))).toBe(RSA)
  })

  test('a file that does not exist yet counts as its directory', async () => {
    const files = { '/etc/cron.d/': { uid: 0 }, [FILE]: { link: '/etc/cron.d/new', uid: 7 } }
    const host = await MemoryHost.with({ files })
    await expect(tryFunction(ssh, 'set_auth_key', { args: ['web', KEY], host, others })).rejects.toThrow(FILE)
  })
})

test('kinds of keys have short names, and unknown ones are refused', () => {
  expect(['r', 'dsa', 'e', 'ed25519', 'sk-ssh-ed25519@openssh.com'].map(kindOf)).toEqual([
    ...['ssh-rsa', 'ssh-dss', 'ecdsa-sha2-nistp256', 'ssh-ed25519', 'sk-ssh-ed25519@openssh.com'],
  ])
  expect(() => kindOf('rot13')).toThrow("Incorrect encryption key type 'rot13'.")
})

test('known hosts are read from what ssh-keygen prints', () => {
  const entries = parseEntries(`# Host a found: line 1\na ssh-rsa ${KEY}\nbroken line\nb ssh-rsa no!base64\n`, 'md5')
  expect(entries.map((entry) => Object.fromEntries(entry))).toEqual([
    { hostname: 'a', key: KEY, enc: 'ssh-rsa', fingerprint: '04:c0:37:a9:a2:45:6e:01:5a:aa:64:52:12:a8:fb:2b' },
  ])
})
