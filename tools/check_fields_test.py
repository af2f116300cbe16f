"""check_fields.py finds a field's name where it must not stand."""

import tempfile
import unittest
from pathlib import Path

import check_fields


class CheckFields(unittest.TestCase):
    def breaches(self, path, line):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for record in check_fields.RECORDS:
                (root / record).parent.mkdir(parents=True, exist_ok=True)
                (root / record).write_text("")
            (root / check_fields.GAUGES).write_text("  VIRNUCPRO_FIELDS(power_w,\n      fan_rpm);\n")
            (root / check_fields.RECORDS[-1]).write_text("  VIRNUCPRO_FIELDS_BEFORE(Base<T>, busy_seconds);\n")
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(line + "\n")
            return list(check_fields.breaches(root))

    def test_a_gauge_is_spelled_nowhere(self):
        for path in ("src/telemetry/x.cpp", "measure/suites/x.hpp"):
            self.assertEqual(self.breaches(path, 'number("fan_rpm")'),
                             [f"{path}:1: the field fan_rpm is spelled again"])
            self.assertEqual(self.breaches(path, "reading.fan_rpm = 3;"), [])

    def test_other_fields_are_spelled_in_no_file_of_telemetry(self):
        self.assertTrue(self.breaches("src/observe/x.cpp", '"busy_seconds"'))
        self.assertFalse(self.breaches("src/report/x.cpp", '"busy_seconds"'))

    def test_the_log_has_its_own_order(self):
        self.assertFalse(self.breaches("src/observe/monitor_rows.hpp", '"power_w"'))
        self.assertTrue(self.breaches("src/observe/monitor_rows.cpp", '"power_w"'))


if __name__ == "__main__":
    unittest.main()
