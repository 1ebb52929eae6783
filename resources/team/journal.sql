-- The roles of a team's journal, what each may do, and the notices that keep windows fresh.
--
-- Keybench runs it when it makes the tables or brings them up to date. Whoever runs the server may run it again,
-- as the tables' owner: psql -d DATABASE -f journal.sql. What is there already stays.
--
-- Three roles that nobody logs in as; give people one:  GRANT keybench_agent TO ana;
-- Roles belong to the whole server. Who may not make them is told so, and all else is done.
DO $$
DECLARE one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['keybench_administrator', 'keybench_agent', 'keybench_trainer'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = one) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', one);
            EXCEPTION
                WHEN insufficient_privilege THEN RAISE NOTICE 'Who may make roles has to make %.', one;
                WHEN duplicate_object OR unique_violation THEN NULL;  -- another database's desk was first
            END;
        END IF;
    END LOOP;
END $$;

-- The last transaction of each program that wrote, by which it finds out whether a commit was made whose answer
-- was lost.
CREATE TABLE IF NOT EXISTS keybench_commits (
    store text PRIMARY KEY, xid text NOT NULL, at timestamptz NOT NULL DEFAULT now()
);
DELETE FROM keybench_commits WHERE at < now() - interval '1 day';

-- What each role may do, table by table, and who none of these is may do nothing.
DO $$
DECLARE
    may record;
    one record;
BEGIN
    FOR one IN SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
        AND tablename IN (
            'activities', 'applications', 'contradictions', 'desk_values', 'desks', 'device_states', 'devices',
            'environments', 'exchanges', 'key_exchanges', 'key_plans', 'meta', 'programs', 'rotations',
            'sale_events', 'sale_exchanges', 'sale_groups', 'sales', 'security_keys', 'settings',
            'keybench_commits'
        )
    LOOP
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', one.name);
        FOR may IN SELECT role, rights FROM (VALUES
            -- Everything but the version of the tables. The lines of the activity are for the owner, too, only
            -- added; a trigger holds that.
            ('keybench_administrator', CASE one.name
                WHEN 'meta' THEN 'SELECT'
                WHEN 'activities' THEN 'SELECT, INSERT'
                ELSE 'SELECT, INSERT, UPDATE, DELETE' END),
            -- Agents sell, test keys, add keys, keep the register and go on with rotations. They start no
            -- rotation, remove no key and no environment, and delete no past sales.
            ('keybench_agent', CASE
                WHEN one.name IN ('meta') THEN 'SELECT'
                WHEN one.name IN ('activities') THEN 'SELECT, INSERT'
                WHEN one.name IN ('rotations') THEN 'SELECT, UPDATE'
                WHEN one.name IN (
                    'environments', 'exchanges', 'sale_events', 'sale_exchanges', 'sale_groups', 'sales',
                    'security_keys'
                ) THEN 'SELECT, INSERT, UPDATE'
                ELSE 'SELECT, INSERT, UPDATE, DELETE' END),
            -- Trainers sell and test with keys that others made. What a desk tells of itself they write as well:
            -- that it runs, what it holds, its settings.
            ('keybench_trainer', CASE
                WHEN one.name IN ('activities') THEN 'SELECT, INSERT'
                WHEN one.name IN ('sale_events', 'sale_exchanges', 'sale_groups', 'sales', 'settings')
                    THEN 'SELECT, INSERT, UPDATE'
                WHEN one.name IN (
                    'keybench_commits', 'desk_values', 'desks', 'device_states', 'devices', 'key_exchanges', 'programs'
                )
                    THEN 'SELECT, INSERT, UPDATE, DELETE'
                WHEN one.name IN ('security_keys')
                    THEN 'SELECT, UPDATE (state, status, tested_at, tried_at, trial, used_at)'
                ELSE 'SELECT' END)
        ) AS granted (role, rights)
        LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = may.role) THEN
                EXECUTE format('REVOKE ALL ON %I FROM %I', one.name, may.role);
                EXECUTE format('GRANT %s ON %I TO %I', may.rights, one.name, may.role);
                EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I', current_schema(), may.role);
                EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), may.role);
            END IF;
        END LOOP;
    END LOOP;
END $$;

-- A line of the activity has the name of who writes it. Who may act for the tables' owner moves a journal here,
-- whose lines have older names.
CREATE OR REPLACE FUNCTION keybench_who() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.who IS DISTINCT FROM session_user::text AND NOT pg_has_role(
        session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE'
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'a line has the name of who writes it';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS keybench_who ON activities;
CREATE TRIGGER keybench_who BEFORE INSERT ON activities FOR EACH ROW EXECUTE FUNCTION keybench_who();

-- Notices: the table, the environment and, where windows want it, the row's name, with tabs between. Columns that
-- a table hasn't are empty. PostgreSQL sends the same notice once a transaction.
CREATE OR REPLACE FUNCTION keybench_tell() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed jsonb;
BEGIN
    changed := CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
    PERFORM pg_notify('keybench', concat_ws(
        E'\t', TG_TABLE_NAME,
        left(coalesce(changed ->> TG_ARGV[0], ''), 1000), left(coalesce(changed ->> TG_ARGV[1], ''), 1000)
    ));
    RETURN NULL;
END $$;

-- What tells of itself: a table, the columns with its environment and name, and which updates count. Polls, the
-- renewal of a lease and the use of a key don't.
DO $$
DECLARE
    told record;
    really CONSTANT text := '(to_jsonb(OLD) - ''{used_at,renewed_at,seen_at,at}''::text[])'
        ' IS DISTINCT FROM (to_jsonb(NEW) - ''{used_at,renewed_at,seen_at,at}''::text[])';
BEGIN
    FOR told IN SELECT * FROM (VALUES
        ('security_keys', 'environment_id', '', really),
        ('applications', 'environment_id', '', really),
        ('devices', 'environment_id', '', really),
        ('environments', 'id', '', really),
        ('rotations', 'environment_id', 'id', really),
        ('key_plans', 'environment_id', '', really),
        ('sales', 'environment_id', 'reference', '(OLD.stage, OLD.outcome, OLD.owner) IS DISTINCT FROM'
            ' (NEW.stage, NEW.outcome, NEW.owner)'),
        ('activities', 'environment_id', '', 'true'),
        ('desk_values', 'environment_id', '', really),
        ('desks', '', '', really),
        ('contradictions', 'environment_id', '', really),
        ('programs', '', '', 'OLD.works_on IS DISTINCT FROM NEW.works_on')
    ) AS every (name, environment, id, counts)
    LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS keybench_tell ON %I', told.name);
        EXECUTE format('DROP TRIGGER IF EXISTS keybench_tell_updates ON %I', told.name);
        EXECUTE format(
            'CREATE TRIGGER keybench_tell AFTER INSERT OR DELETE ON %I'
            ' FOR EACH ROW EXECUTE FUNCTION keybench_tell(%L, %L)',
            told.name, told.environment, told.id
        );
        EXECUTE format(
            'CREATE TRIGGER keybench_tell_updates AFTER UPDATE ON %I'
            ' FOR EACH ROW WHEN (%s) EXECUTE FUNCTION keybench_tell(%L, %L)',
            told.name, told.counts, told.environment, told.id
        );
    END LOOP;
END $$;

-- A sale is written again with each poll. Where its page has room, its entries in the indexes stay as they are, and
-- what is read of the newest sales doesn't have to pass what they were before.
DO $$
BEGIN
    IF to_regclass('sales') IS NOT NULL THEN
        ALTER TABLE sales SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);
    END IF;
END $$;
