TEST(case) {}
