import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { hostname } from 'node:os'

const version = readFileSync('/opt/app/version', 'utf8').trim()

createServer((request, response) => {
  response.end(request.url === '/health' ? 'ok\n' : `${hostname()} ${version}\n`)
}).listen(8080)
