// The caller against a test server: signing, sources of keys, retries of a busy service.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Dict, fromPlain, hideMarked, type Plain, toPlain } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ec2 from '../ec2/boto_ec2.module.ts'

interface Seen {
  path: string
  keyId: string | undefined
  token: string | undefined
  body: string
}

let server: Server
let url = ''
let seen: Seen[] = []
let answers: ((request: IncomingMessage, body: string) => [number, string] | undefined)[] = []

const ZONES = '<R><availabilityZoneInfo><item><zoneName>a</zoneName></item></availabilityZoneInfo></R>'

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const keyId = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1]
    seen.push({ path: request.url!, keyId, token: request.headers['x-amz-security-token'] as string | undefined, body })
    const own = answers.map((answer) => answer(request, body)).find((one) => one !== undefined)
    const [status, text] = own ?? [200, ZONES]
    response.writeHead(status).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  seen = []
  answers = []
})

const zones = async (
  profile: Plain | null,
  {
    env = {},
    files = {},
    pillar = {},
  }: { env?: Record<string, string>; files?: Record<string, string>; pillar?: Plain } = {},
) => {
  const host = await MemoryHost.with({
    env: {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_SHARED_CREDENTIALS_FILE: '/etc/aws-keys',
      AWS_ENDPOINT_URL: url,
      ...env,
    },
    files,
  })
  const kwargs = { profile: fromPlain(profile) }
  return toPlain(await tryFunction(ec2, 'get_zones', { host, kwargs, pillar: fromPlain(pillar) as Dict }))
}

test('A profile, the environment and the shared files have keys, in this order', async () => {
  const env = {
    AWS_ACCESS_KEY_ID: 'ENVKEY',
    AWS_SECRET_ACCESS_KEY: 'secret of the environment',
    AWS_SESSION_TOKEN: 'session',
  }
  const files = {
    '/etc/aws-keys': '[default]\naws_access_key_id = FILEKEY\naws_secret_access_key = secret of a file\n',
  }
  expect(await zones({ keyid: 'OWNKEY', key: 'secret of the profile' }, { env, files })).toEqual(['a'])
  await zones('shop', { env, files, pillar: { shop: { keyid: 'PILLARKEY', key: 'secret of pillar' } } })
  await zones(null, { env, files })
  await zones(null, { files })
  expect(seen.map(({ keyId }) => keyId)).toEqual(['OWNKEY', 'PILLARKEY', 'ENVKEY', 'FILEKEY'])
  expect(seen[2]!.token).toBe('session')
  expect(hideMarked('x secret of a file x')).not.toContain('secret of a file')
})

test('Without a key, with half a key and with an unknown profile, the error names the missing part', async () => {
  await expect(zones(null)).rejects.toThrow('No authentication credentials found')
  await expect(zones({ keyid: 'OWNKEY' })).rejects.toThrow("'key' is missing")
  await expect(zones('nosuch')).rejects.toThrow("The profile 'nosuch' is no dict in the options or in pillar")
  await expect(zones({ keyid: 'A', key: 'secret', region: 'x/../y' })).rejects.toThrow('Region "x/../y" is not valid.')
  expect(seen).toEqual([])
})

const CREDENTIALS =
  '<R><AssumeRoleResult><Credentials><AccessKeyId>ROLEKEY</AccessKeyId><SecretAccessKey>secret of the role</SecretAccessKey>' +
  '<SessionToken>token of the role</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></R>'

test('A role is taken on once, with the key that is configured', async () => {
  answers = [(_request, body) => (body.includes('Action=AssumeRole') ? [200, CREDENTIALS] : undefined)]
  const profile = {
    keyid: 'BASEKEY',
    key: 'secret of the base',
    role_arn: 'arn:aws:iam::1:role/deploy',
    external_id: 'x',
  }
  await zones(profile)
  await zones(profile)
  expect(seen.map(({ keyId }) => keyId)).toEqual(['BASEKEY', 'ROLEKEY', 'ROLEKEY'])
  expect(seen[0]!.body).toContain('RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fdeploy')
  expect(seen[1]!.token).toBe('token of the role')
})

test('An assumed role is not shared with callers who name the key without its secret, or another external id', async () => {
  const isRight = (headers: IncomingMessage['headers']): boolean => headers['authorization']!.includes('GOODKEY')
  answers = [
    ({ headers }, body) => {
      if (!body.includes('Action=AssumeRole')) return undefined
      return isRight(headers) && body.includes('ExternalId=own')
        ? [200, CREDENTIALS]
        : [403, '<E><Code>AccessDenied</Code></E>']
    },
  ]
  const profile = { keyid: 'GOODKEY', key: 'the secret', role_arn: 'arn:aws:iam::1:role/kept', external_id: 'own' }
  await zones(profile)
  await expect(zones({ ...profile, external_id: 'foreign' })).rejects.toThrow('AccessDenied')
  seen = []
  await zones({ ...profile, key: 'guessed' })
  expect(seen.map(({ keyId }) => keyId)).toEqual(['GOODKEY', 'ROLEKEY'])
})

test('The role of the machine comes from the second version of its metadata service', async () => {
  const key = {
    AccessKeyId: 'MACHINEKEY',
    SecretAccessKey: 'secret of the machine',
    Token: 't',
    Expiration: '2000-01-01T00:00:00Z',
  }
  answers = [
    ({ url: path = '', method, headers }) => {
      if (path === '/latest/api/token') return method === 'PUT' ? [200, 'imds'] : [405, '']
      if (!path.startsWith('/latest')) return undefined
      if (headers['x-aws-ec2-metadata-token'] !== 'imds') return [401, '']
      return [200, path.endsWith('/') ? 'web' : JSON.stringify(key)]
    },
  ]
  await zones(null, { env: { AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: url } })
  expect(seen.at(-1)!.keyId).toBe('MACHINEKEY')
})

// by boto_ec2.import_key
test("Requests to a busy service are repeated; a refusal is not, and has AWS's text", async () => {
  let asked = 0
  answers = [
    (_request, body) => {
      if (!body.includes('ImportKeyPair')) return undefined
      asked += 1
      const busy =
        '<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>slow down</Message></Error></Errors></Response>'
      return asked < 3 ? [503, busy] : [200, '<R><keyFingerprint>1f:51</keyFingerprint></R>']
    },
  ]
  const host = new MemoryHost({ env: { AWS_ENDPOINT_URL: url } })
  const profile = fromPlain({ keyid: 'A', key: 'secret' })
  const args = ['ops', 'ssh-ed25519 AAAA']
  expect(await tryFunction(ec2, 'import_key', { host, args, kwargs: { profile } })).toBe('1f:51')
  expect(asked).toBe(3)
  seen = []
  answers = [() => [403, '<Error><Code>UnauthorizedOperation</Code><Message>You may not</Message></Error>']]
  await expect(zones({ keyid: 'A', key: 'secret' })).rejects.toThrow(
    'ec2 DescribeAvailabilityZones failed: UnauthorizedOperation: You may not',
  )
  expect(seen).toHaveLength(1)
})
