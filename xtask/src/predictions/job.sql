CREATE TABLE orders(id INTEGER PRIMARY KEY, customer TEXT, item TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
INSERT INTO orders SELECT i, 'customer ' || (i * 7919 % 5000), 'item ' || (i % 300), i * 0.25 FROM n;
CREATE INDEX by_customer ON orders(customer, item);
SELECT count(*), sum(total) FROM (
    SELECT customer, group_concat(item) AS items, sum(price) AS total FROM orders GROUP BY customer);
SELECT count(*) FROM orders a JOIN orders b ON a.customer = b.customer AND a.id < b.id;
