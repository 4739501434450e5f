import { expect, test } from 'vitest'
import type { CloudContext } from '../../../sdk/mod.ts'
import { allPages, RestCloud } from './rest.ts'

const rest = new RestCloud({} as CloudContext, { base: 'https://cloud.example/v1', headers: () => ({}) })

test('A link to a further page is followed below the address of the provider only', () => {
  expect(rest.pathOf('https://cloud.example/v1/servers?marker=7')).toBe('/servers?marker=7')
  expect(rest.pathOf('/v1/servers?marker=7')).toBe('/servers?marker=7')
  for (const link of ['https://evil.example/v1/servers', 'https://cloud.example/v10/servers', '/v1/../servers']) {
    expect(() => rest.pathOf(link), link).toThrow('which is another service')
  }
})

test('An answer that is no JSON object is neither an empty list nor a thing that is gone', () => {
  const answer = { status: 200, headers: new Map(), text: '<html>Log in first' }
  expect(() => rest.objectOf('GET /servers', answer)).toThrow(
    'GET /servers is answered without a JSON object: <html>Log in first',
  )
  expect(rest.objectOf('GET /servers', { ...answer, text: '{"servers": []}' }).has('servers')).toBe(true)
})

test('A list with endless pages is aborted', async () => {
  const endless = allPages('/servers', 1, async (page) => [[], page])
  await expect(endless).rejects.toThrow('The list /servers does not come to an end')
})
