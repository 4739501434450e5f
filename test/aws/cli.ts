// aws-cli as the outside witness of tests against moto.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Return a function that runs aws-cli against a service and returns its output. */
export const awsCli =
  (url: string) =>
  async (...words: string[]) => {
    const keys = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'x', AWS_DEFAULT_REGION: 'us-east-1' }
    const env = { ...process.env, ...keys }
    return JSON.parse((await promisify(execFile)('aws', ['--endpoint-url', url, ...words], { env })).stdout || '{}')
  }
