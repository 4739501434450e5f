// `cmd_yamlex`: the YAML with aggregations that a command prints.
import { loadYamlex } from '../../../sdk/mod.ts'
import { commandPillar } from './command-output.ts'

export default commandPillar({ name: 'cmd_yamlex', form: 'YAML', shell: false, read: loadYamlex })
