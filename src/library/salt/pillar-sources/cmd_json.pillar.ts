// `cmd_json`: the JSON that a command prints.
import { loadJson } from '../../../data/mod.ts'
import { commandPillar } from './command-output.ts'

export default commandPillar({ name: 'cmd_json', form: 'JSON', shell: false, read: (output) => loadJson(output) })
