import { expect, test } from 'vitest'
import { certificateProblem } from './errors.ts'

test.each([
  ['self-signed certificate', 'self-signed certificate'],
  [
    'unable to get local issuer certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
    'unable to get local issuer certificate',
  ],
])('a certificate error contains no advice about Node: %s', (message, told) => {
  expect(certificateProblem(message)).toBe(told)
})
