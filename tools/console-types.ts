// Writes `src/console/api/schema.d.ts`, the types of the console's requests, from the OpenAPI document of the API.
import { join } from 'node:path'
import { writeConsoleTypes } from './api-tools.ts'

await writeConsoleTypes(join(import.meta.dirname, '..'))
