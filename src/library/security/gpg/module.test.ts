import { describe, expect, test } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import { signaturesIn } from './module/messages.ts'
import gpg from './module.ts'

const PRINT = 'FB64B95064258A31443DEDDF994B413C016B91BB'
const LIST = `tru::1:1794000000:0:3:1:5
pub:u:2048:1:994B413C016B91BB:1794000000:1825536000::u:::scESC::::::23::0:
fpr:::::::::${PRINT}:
uid:u::::1794000000::0F::Test Zq <zq@example.com>::::::::::0:
sub:u:2048:1:1111413C016B2222:1794000000::::::e::::::23:
fpr:::::::::0000B95064258A31443DEDDF1111413C016B2222:
`

/** A machine with recorded results of gpg, by the command word. */
async function call(
  fun: string,
  kwargs: Record<string, Value>,
  answers: Record<string, [out: string, status?: string]>,
) {
  const host = await MemoryHost.with({
    files: { '/gh/': '', '/in': 'data' },
    now: () => 1_800_000_000,
    commands: [
      ({ argv }) => {
        const found = Object.entries(answers).find(([word]) => argv.includes(word))
        return found && { stdout: found[1][0], stderr: found[1][1] ?? '' }
      },
    ],
  })
  const others = {
    'config.option': () => 'root',
    'user.info': () => new Map<Value, Value>([['uid', 0]]).set('gid', 0),
    'pillar.get': () => null,
  }
  const answer = await tryFunction(gpg, fun, { kwargs: { gnupghome: '/gh', ...kwargs }, host, others })
  return { answer: answer as Dict, argv: host.history.at(-1)?.argv ?? [] }
}

describe('keys of GnuPG', () => {
  test('are listed with names, times, trust and subkeys', async () => {
    const { answer, argv } = await call('list_keys', {}, { '--list-keys': [LIST] })
    const [key] = answer as unknown as Dict[]
    const { subkeys, ...facts } = Object.fromEntries(key!)
    expect(facts).toMatchObject({
      ...{ keyid: '994B413C016B91BB', uids: ['Test Zq <zq@example.com>'], fingerprint: PRINT, expired: false },
      ...{ keyLength: '2048', ownerTrust: 'Ultimately Trusted', trust: 'Ultimately Trusted' },
    })
    expect((subkeys as Dict[])[0]!.get('keyid')).toBe('1111413C016B2222')
    expect(argv).toContain('--homedir')
  })

  test.each<[string, Record<string, Value>, Record<string, [string, string?]>, boolean, string]>([
    [
      'import_key',
      { filename: '/in' },
      { '--import': ['', `[GNUPG:] IMPORT_OK 1 ${PRINT}\n[GNUPG:] IMPORT_RES 1 0 1 0 0 0 0 0 0 0 0 0 0 0 0\n`] },
      true,
      'Successfully imported key(s).',
    ],
    [
      'import_key',
      { text: 'x' },
      { '--import': ['', '[GNUPG:] NODATA 1\n[GNUPG:] IMPORT_RES 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n'] },
      false,
      'Unable to import key.',
    ],
    ['delete_key', { keyid: 'nope' }, { '--list-keys': [LIST] }, false, 'Key not available in keychain.'],
    [
      'delete_key',
      { fingerprint: PRINT },
      { '--list-keys': [LIST], '--list-secret-keys': [LIST] },
      false,
      'Secret key exists, delete first or pass delete_secret=True.',
    ],
    [
      'trust_key',
      { fingerprint: PRINT, trust_level: 'fully' },
      { '--list-keys': [LIST], '--import-ownertrust': [''] },
      true,
      'Setting ownership trust to Fully Trusted.',
    ],
  ])('gpg.%s %j', async (fun, kwargs, answers, res, message) => {
    expect(Object.fromEntries((await call(fun, kwargs, answers)).answer)).toMatchObject({ res, message })
  })
})

test('signatures are parsed with signer and trust', () => {
  const lines = [
    'NEWSIG zq@example.com',
    `GOODSIG 994B413C016B91BB Test Zq`,
    `VALIDSIG ${PRINT} 2026-11-15 1794 0 4 0 1 10 00 ${PRINT}`,
    'TRUST_FULLY 0 pgp',
  ]
  const status = lines.map((line) => ({ keyword: line.split(' ')[0]!, text: line.split(' ').slice(1).join(' ') }))
  expect(signaturesIn(status)).toEqual([
    {
      username: 'Test Zq',
      key_id: '994B413C016B91BB',
      fingerprint: PRINT,
      trust_level: 'Fully',
      status: 'signature valid',
    },
  ])
})

test.each<[string, Record<string, Value>, [string, string], string]>([
  [
    'decrypt',
    { text: 'x' },
    ['', '[GNUPG:] NO_SECKEY 1\n[GNUPG:] BEGIN_DECRYPTION\n[GNUPG:] DECRYPTION_FAILED\n'],
    'no secret key.\nPlease check the salt-minion log.',
  ],
  [
    'encrypt',
    { text: 'x', recipients: 'nobody' },
    ['', '[GNUPG:] INV_RECP 1 nobody\n'],
    'invalid recipient.\nPlease check the salt-minion log.',
  ],
])('gpg.%s reports why it failed', async (fun, kwargs, said, comment) => {
  const { answer } = await call(fun, kwargs, { [`--${fun}`]: said })
  expect(Object.fromEntries(answer)).toEqual({ res: false, comment })
})
