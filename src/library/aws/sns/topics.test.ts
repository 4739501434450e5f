import { expect, test } from 'vitest'
import { shownEndpoint } from './topics.ts'

test.each([
  ['https://user:secret@example.com/hook', 'https://user:****@example.com/hook'],
  ['http://ops-1:p%40ss-w@rd!@example.com:8080/hook', 'http://ops-1:****@example.com:8080/hook'],
  ['https://example.com:8443/a:b@c', 'https://example.com:8443/a:b@c'],
  ['ops@example.com', 'ops@example.com'],
])('the endpoint %s is shown as %s', (endpoint, shown) => {
  expect(shownEndpoint(endpoint)).toBe(shown)
})
