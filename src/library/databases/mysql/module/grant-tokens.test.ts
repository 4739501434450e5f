import { describe, expect, test } from 'vitest'
import { grantTokens } from './grant-tokens.ts'

describe('a GRANT statement', () => {
  test.each([
    [
      "GRANT SELECT, LOCK TABLES, UPDATE (a, b), CREATE ON `test ``(:=db)`.* TO 'foo'@'localhost' WITH GRANT OPTION",
      ['foo', 'localhost', 'SELECT|LOCK TABLES|UPDATE|UPDATE.a|UPDATE.b|CREATE', '`test ``(:=db)`.*'],
    ],
    [
      "GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` IDENTIFIED BY PASSWORD '*X'",
      ['`root`', '`localhost`', 'ALL PRIVILEGES', '*.*'],
    ],
    ["GRANT USAGE ON *.* TO 'user \";--,?:&/'@'%'", ['user ";--,?:&/', '%', 'USAGE', '*.*']],
    ["GRANT PROXY ON ''@'%' TO 'root'@'h'", ['', '', 'PROXY', "''@'%'TO'root'@'h'"]],
  ])('%s comes apart', (statement, [user, host, grants, database]) => {
    expect(grantTokens(statement)).toEqual({ user, host, grant: grants!.split('|'), database })
  })
})
