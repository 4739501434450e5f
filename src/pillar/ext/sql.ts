// `postgres`, `mysql` and `sqlite3`: rows of queries as pillar data; the minion id replaces `%s` or `?`.
import type { Dict } from '../../data/mod.ts'
import { arg, defineExtPillar, type ExtPillar, type ExtPillarContext } from '../../sdk/mod.ts'
import * as databases from './sql/databases.ts'
import { addRows, queriesOf } from './sql/rows.ts'

function sqlPillar(name: string, connect: (ctx: ExtPillarContext) => databases.DatabaseConnection): ExtPillar {
  return defineExtPillar({
    name: name.toLowerCase(),
    doc: `The rows of queries to a database of ${name}, in which the id of the minion fills the place of a parameter.`,
    args: {
      queries: arg.rest('Queries whose rows are at the top of the pillar'),
      named: arg.open('Queries by the key that their rows are put under'),
    },
    run: async (ctx, { queries, named }) => {
      const result: Dict = new Map()
      const connection = connect(ctx)
      try {
        for (const query of queriesOf(queries, named)) addRows(result, query, await connection.ask(query.query))
      } catch (error) {
        // when a statement fails, Salt continues with the data so far
        if (!(error instanceof databases.QueryError)) throw error
        ctx.log('error', `Error in ext_pillar ${name}: ${error.message}`)
      } finally {
        connection.close()
      }
      return result
    },
  })
}

export const postgres: ExtPillar = sqlPillar('POSTGRES', databases.postgres)
export const mysql: ExtPillar = sqlPillar('MySQL', databases.mysql)
export const sqlite3: ExtPillar = sqlPillar('SQLite3', databases.sqlite3)
