import { expect, test } from 'vitest'
import { signAws } from './mod.ts'

const login = { key: 'secret', keyId: 'AKID' }
const time = new Date('2024-05-06T07:08:09Z')
const signatureOf = (headers: Map<string, string>): string | undefined =>
  /Signature=(\w+)$/.exec(headers.get('authorization') ?? '')?.[1]

test('A request to a bucket is signed as Amazon asks', async () => {
  const headers = await signAws({
    method: 'GET',
    server: 'bucket.s3.amazonaws.com',
    path: '/dir/a%20b.txt',
    query: '',
    headers: {},
    body: '',
    service: 's3',
    region: 'eu-central-1',
    time,
    login,
  })
  expect(signatureOf(headers)).toBe('665e0f144ff3efb35603ee4c2a6d10c235d2e9c1291f2ac1a34befabddeb1c36')
})

test('A request to another service has its path escaped twice, and its body and headers signed', async () => {
  const request = {
    method: 'POST',
    server: 'lambda.eu-central-1.amazonaws.com',
    path: '/2015-03-31/functions/arn%3Aaws%3Alambda/invocations',
    query: 'Qualifier=1',
    headers: { 'content-type': 'application/json' },
    body: '{"a": 1}',
    service: 'lambda',
    region: 'eu-central-1',
    time,
  }
  const headers = await signAws({ ...request, login: { ...login, token: 'session' } })
  expect(headers.get('authorization')).toContain(
    'SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, ',
  )
  expect(signatureOf(headers)).toBe('045b6384b49986410c4011f362d8d39ac3d1e483e282e45ac579a6e9dbf9d582')
  expect((await signAws({ ...request, login: undefined })).has('authorization')).toBe(false)
})
