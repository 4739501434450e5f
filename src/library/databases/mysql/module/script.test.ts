import { describe, expect, test } from 'vitest'
import { statementsOf } from './script.ts'

describe('a file of SQL', () => {
  test.each<[string, string[]]>([
    ['SELECT 1;\nSELECT\n  2;\n', ['SELECT 1', 'SELECT\n  2']],
    [
      '-- note; here\nINSERT INTO t VALUES (\'a;b\', "c\\";", `d;`); # end;',
      ['INSERT INTO t VALUES (\'a;b\', "c\\";", `d;`)'],
    ],
    ['/* one; */ SELECT 1 /*!50000 + 1 */', ['SELECT 1 /*!50000 + 1 */']],
    [
      'DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END//\nDELIMITER ;\nCALL p();',
      ['CREATE PROCEDURE p() BEGIN SELECT 1; END', 'CALL p()'],
    ],
    ["SELECT 1--1, 'it''s';", ["SELECT 1--1, 'it''s'"]],
  ])('%j is cut into statements', (script, statements) => {
    expect(statementsOf(script)).toEqual(statements)
  })
})
